import NIOCore
import RoomDelivery
import RoomModel

/// The frames that one client posts to its event stream, on their way to its connection: in the order of the posts, and
/// within one in that of the lines.
final class EventReader: ItemReader<JSONLineDecoder> {
    private let limits: FrameLimits
    private var posts: CircularBuffer<EventPost> = []
    /// The unhandled rest of the first of the posts.
    private var rest: ByteBuffer?
    /// The effects of a frame may call back while it is handled.
    private var isProcessing = false
    /// The bytes of all posts that wait.
    private(set) var waitingBytes = 0

    /// Posts of one stream that may wait, and their bytes; one may wait in any case.
    private static let waitingPosts = 16
    private static let waitingBytes = 256 * 1_024

    init(limits: FrameLimits, badLines: BadLines) {
        self.limits = limits
        super.init(JSONLineDecoder(limits: limits), badLines)
    }

    var isEmpty: Bool { self.posts.isEmpty }

    func append(_ post: EventPost) {
        let bytes = self.waitingBytes + post.body.readableBytes
        guard self.posts.isEmpty || self.posts.count < Self.waitingPosts && bytes <= Self.waitingBytes else {
            return post.completion(.tooMany)
        }
        self.posts.append(post)
        self.waitingBytes = bytes
    }

    /// Handles frames while the connection has credit for them. A post whose frames are all handled is answered.
    func process(_ connection: Connection) -> InputFlow.Progress {
        guard !self.isProcessing else { return .waiting }
        self.isProcessing = true
        defer { self.isProcessing = false }
        while let post = self.posts.first {
            if self.isWaiting {
                let progress = self.giveAgain(to: connection)
                guard progress == .through else { return progress }
                guard !self.posts.isEmpty else { return .through }
            }
            var rest = self.rest ?? post.body
            while !self.isCutOff, let line = self.next(post.form, &rest) {
                guard !connection.isBackedUp else { return .waiting }
                guard connection.share.hasCredit else { return .outOfTurn }
                self.rest = rest
                let progress = self.handle(line: line, connection)
                // what it was given may have ended the session, which has answered the posts
                guard !self.posts.isEmpty else { return .through }
                guard progress == .through else { return progress }
            }
            self.rest = nil
            self.waitingBytes -= post.body.readableBytes
            self.posts.removeFirst().completion(.taken)
        }
        return .through
    }

    private func handle(line: ByteBuffer, _ connection: Connection) -> InputFlow.Progress {
        guard line.readableBytes <= self.limits.line else {
            connection.share.spend(Work.line(bytes: line.readableBytes))
            return self.handleTooLong(limit: self.limits.line, connection)
        }
        return self.handle(line, connection)
    }

    /// Cuts the next frame off.
    private func next(_ form: EventPost.Form, _ rest: inout ByteBuffer) -> ByteBuffer? {
        let view = rest.readableBytesView
        guard !view.isEmpty else { return nil }
        guard form == .lines, let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            return rest.readSlice(length: rest.readableBytes)
        }
        let line = rest.readSlice(length: end - view.startIndex)
        rest.moveReaderIndex(forwardBy: 1)
        return line
    }

    /// The session has ended: nothing of what waits is handled.
    func end() {
        let posts = self.posts
        self.posts = []
        self.rest = nil
        self.waitingBytes = 0
        for post in posts { post.completion(.sessionEnded) }
    }
}
