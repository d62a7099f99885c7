import Foundation
import NIOCore
import NIOEmbedded
import RoomModel
import RoomWire

/// The rooms, sessions and connections of a ``FakeBroker``. Confined to its event loop.
final class FakeBrokerCore {
    /// The answer to requests that are refused.
    struct Refusal {
        let code: Code
        let text: String
        let retryAfterMilliseconds: Int?
        var times: Int

        init(_ code: Code, _ text: String, retryAfter: Duration?, times: Int) {
            self.code = code
            self.text = text
            self.retryAfterMilliseconds = retryAfter.map { Int(TimeAmount($0).nanoseconds / 1_000_000) }
            self.times = times
        }
    }

    var isOnline = true
    var refusals: [FakeBroker.Request: Refusal] = [:]
    var rooms: [RoomName: FakeRoom] = [:]
    private(set) var sessions: [ClientID: FakeSession] = [:]
    private var links: [ObjectIdentifier: FakeLink] = [:]
    private var lastID: UInt64 = 0
    private let loop: NIOAsyncTestingEventLoop
    private let onFrame: FakeBroker.FrameTap

    init(loop: NIOAsyncTestingEventLoop, onFrame: @escaping FakeBroker.FrameTap) {
        self.loop = loop
        self.onFrame = onFrame
    }

    // MARK: Connections

    /// - Parameter handler: makes the client's handler.
    func open(_ handler: () -> any ChannelHandler) -> EventLoopFuture<any Channel> {
        guard self.isOnline else {
            return self.loop.makeFailedFuture(IOError(errnoCode: ECONNREFUSED, reason: "connect"))
        }
        let channel = NIOAsyncTestingChannel(loop: self.loop)
        let link = FakeLink(channel, core: self)
        do {
            try channel.pipeline.syncOperations.addHandlers([link, handler()])
            channel.pipeline.register(promise: nil)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 10_000), promise: nil)
        } catch {
            return self.loop.makeFailedFuture(error)
        }
        self.links[ObjectIdentifier(link)] = link
        return self.loop.makeSucceededFuture(channel)
    }

    func goOffline() {
        self.isOnline = false
        for link in self.links.values { link.channel.close(promise: nil) }
    }

    /// The connection has ended; its session is kept.
    func lost(_ link: FakeLink) {
        self.links[ObjectIdentifier(link)] = nil
        if link.session?.link === link { link.session?.link = nil }
    }

    /// The client has said farewell: its session ends.
    func ended(_ link: FakeLink) {
        if let session = link.session { self.end(session) }
        link.channel.close(promise: nil)
    }

    func forgetSessions() {
        for session in self.sessions.values where session.link == nil && !session.isPlayed { self.end(session) }
    }

    func disconnectAll(_ code: Code, _ reason: String, retryAfter: Duration?) {
        let pause = retryAfter.map { Int(TimeAmount($0).nanoseconds / 1_000_000) }
        for link in self.links.values {
            self.send(to: link) { $0.frame(Goodbye(code, reason: reason, retryAfterMilliseconds: pause)) }
            if !code.reconnects, let session = link.session { self.end(session) }
            link.channel.close(promise: nil)
        }
    }

    // MARK: Sessions

    func addMember(_ data: ByteBuffer?) -> String {
        self.lastID += 1
        let id = ClientID("member-\(self.lastID)")
        self.sessions[id] = FakeSession(id: id, resumeToken: "", clientData: data, isPlayed: true)
        return id.text
    }

    /// - Returns: the session to resume, or a new one.
    func session(for request: HandshakeRequest) -> (session: FakeSession, isResumed: Bool) {
        if let token = request.resume, let session = self.sessions.values.first(where: { $0.resumeToken == token }) {
            return (session, true)
        }
        self.lastID += 1
        let id = ClientID("client-\(self.lastID)")
        let session = FakeSession(
            id: id,
            resumeToken: "resume-\(self.lastID)",
            clientData: request.clientData,
            isPlayed: false
        )
        self.sessions[id] = session
        return (session, false)
    }

    private func end(_ session: FakeSession) {
        for room in self.rooms.keys { self.leave(room, session) }
        self.sessions[session.id] = nil
    }

    /// Counts a refusal of such a request; `nil`: it is accepted.
    func refusal(of request: FakeBroker.Request) -> Refusal? {
        guard var refusal = self.refusals[request] else { return nil }
        refusal.times -= 1
        self.refusals[request] = refusal.times > 0 ? refusal : nil
        return refusal
    }

    // MARK: Rooms

    func enter(_ name: RoomName, _ session: FakeSession) {
        guard self.rooms[name, default: self.newRoom].enter(session.id) else { return }
        self.tellPresence(.joined, session, in: name, butNot: session.id)
    }

    func leave(_ name: RoomName, _ session: FakeSession) {
        guard self.rooms[name]?.leave(session.id) ?? false else { return }
        self.tellPresence(.left, session, in: name, butNot: session.id)
    }

    func remove(_ id: ClientID, from name: RoomName, _ code: Code, _ reason: String) {
        guard let session = self.sessions[id] else { return }
        if let link = session.link {
            self.send(to: link) { $0.frame(Removal(room: name, reason: reason, code: code.rawValue)) }
        }
        self.leave(name, session)
    }

    func update(_ session: FakeSession, _ data: ByteBuffer?) {
        session.clientData = data
        for (name, room) in self.rooms where room.members.contains(session.id) {
            self.tellPresence(.updated, session, in: name, butNot: nil)
        }
    }

    private func tellPresence(
        _ kind: PresenceEvent.Kind,
        _ session: FakeSession,
        in name: RoomName,
        butNot id: ClientID?
    ) {
        let event = PresenceEvent(room: name, kind: kind, member: session.sender.json)
        for link in self.links(in: name) {
            guard let member = link.session?.id, member != id, self.showsMembers(of: name, to: member) else { continue }
            self.send(to: link, from: session.sender) { $0.frame(event) }
        }
    }

    func showsMembers(of name: RoomName, to member: ClientID) -> Bool {
        name.isObservable || self.rooms[name]?.asking.contains(member) ?? false
    }

    /// Stores a message, and delivers it to the members.
    @discardableResult
    func store(
        _ message: ByteBuffer,
        from sender: Sender,
        in name: RoomName,
        messageID: UniqueID? = nil
    ) -> FakeRoom.Entry {
        let stamp = self.stamp(sender)
        let entry = self.rooms[name, default: self.newRoom].store(message, stamp: stamp, messageID: messageID)
        for link in self.links(in: name) { self.send(entry, in: name, to: link) }
        return entry
    }

    /// Delivers a message that is not stored.
    func tell(_ message: ByteBuffer, from sender: Sender, in name: RoomName) {
        var frame = ByteBuffer()
        _ = PublishWriter(room: name).write(message, stamp: self.stamp(sender), seq: nil, into: &frame)
        for link in self.links(in: name) { self.send(frame, to: link) }
    }

    func epoch(of name: RoomName) -> Epoch { self.rooms[name, default: self.newRoom].epoch }

    private var newRoom: FakeRoom { FakeRoom(epoch: Epoch(rawValue: 1)) }

    /// The connections of the members.
    private func links(in name: RoomName) -> [FakeLink] {
        self.rooms[name]?.members.compactMap { self.sessions[$0]?.link } ?? []
    }

    // MARK: Writing

    func send(_ entry: FakeRoom.Entry, in name: RoomName, to link: FakeLink) {
        var frame = ByteBuffer()
        _ = PublishWriter(room: name).write(entry.message, stamp: entry.stamp, seq: entry.seq, into: &frame)
        self.send(frame, to: link)
    }

    /// - Parameter fields: writes the fields of one frame.
    func send(to link: FakeLink, from sender: Sender = .broker, _ fields: (inout FrameWriter) -> Void) {
        var frame = ByteBuffer()
        FrameWriter.write(into: &frame, stamp: self.stamp(sender), fields)
        self.send(frame, to: link)
    }

    func send(_ frame: ByteBuffer, to link: FakeLink) {
        self.onFrame(false, String(String(buffer: frame).dropLast()))
        link.send(frame)
    }

    /// Time begins on 21 November 2025, 04:00 UTC.
    func stamp(_ sender: Sender) -> Stamp {
        self.lastID += 1
        let milliseconds = 1_763_697_600_000 + Int64(self.loop.now.uptimeNanoseconds / 1_000_000)
        return Stamp(id: UniqueID(milliseconds: milliseconds, sequence: 0, random: self.lastID << 8), sender: sender)
    }

    // MARK: Reading

    func received(_ line: ByteBuffer, from link: FakeLink) {
        guard self.links[ObjectIdentifier(link)] != nil else { return }
        self.onFrame(true, String(buffer: line))
        do throws(RequestError) {
            self.handle(try FrameDecoder(limits: FrameLimits()).decode(line), from: link)
        } catch {
            self.send(to: link) { $0.error(error) }
        }
    }
}
