import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// What a broker's process says on its stderr, line by line as it comes.
final class BrokerLog: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What of a log is looked at from elsewhere.
    struct Record: Sendable {
        /// The newest lines, for a failure's text.
        var tail: [String] = []
        /// Lines of level error and above: no test asks for any.
        var alarms: [String] = []
    }

    static let keptLines = 40

    private let record: NIOLockedValueBox<Record>
    private let listening: EventLoopPromise<Int>
    private var unfinished = ByteBuffer()

    /// - Parameter listening: gets the port that the broker listens on; fails when the log ends without one.
    init(record: NIOLockedValueBox<Record>, listening: EventLoopPromise<Int>) {
        self.record = record
        self.listening = listening
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.unfinished.writeImmutableBuffer(self.unwrapInboundIn(data))
        while let end = self.unfinished.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unfinished.readString(length: end - self.unfinished.readerIndex) ?? ""
            self.unfinished.moveReaderIndex(forwardBy: 1)
            self.read(line)
        }
        self.unfinished.discardReadBytes()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.listening.fail(
            BrokerFailure(reason: "the broker does not listen", log: self.record.withLockedValue(\.tail))
        )
    }

    private func read(_ line: String) {
        let entry = LogLine(line)
        self.record.withLockedValue { record in
            if record.tail.count >= Self.keptLines { record.tail.removeFirst() }
            record.tail.append(line)
            if entry?.isAlarm ?? false { record.alarms.append(line) }
        }
        if let port = entry?.port { self.listening.succeed(port) }
    }
}

/// A line of the broker's log in JSON.
private struct LogLine: Decodable {
    let level: String
    let message: String
    let metadata: [String: String]?

    init?(_ line: String) {
        guard let decoded = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = decoded
    }

    var isAlarm: Bool { ["error", "critical"].contains(self.level) }

    /// The port, in the line that says that the broker is listening.
    var port: Int? {
        guard self.message == "listening", let address = self.metadata?["tcp.address"] else { return nil }
        return address.split(separator: ":").last.flatMap { Int($0) }
    }
}
