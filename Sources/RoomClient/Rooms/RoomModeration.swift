import RoomModel
import RoomWire

/// What a client whose access token grants `"moderate":true` for a room does in it. Whatever the broker does not allow is thrown
/// as ``RoomClientError/Code/permissionDenied``.
///
/// Each call goes out once. One that is lost with its connection (``RoomClientError/Code/connectionLost``) may have been done;
/// all but a notice can be repeated without harm.
public struct RoomModeration: Sendable {
    private let room: RoomName
    private let client: RoomClient

    init(_ room: RoomName, client: RoomClient) {
        self.room = room
        self.client = client
    }

    // MARK: Members

    /// Takes a member out of the room. It can come back, unless it is banned.
    ///
    /// - Parameters:
    ///   - clientID: the ``Member/id``.
    ///   - reason: for people; the member sees it.
    /// - Throws: ``RoomClientError/Code/memberNotFound`` and what else the broker has against it.
    public func kick(_ clientID: String, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.kick(ClientID(clientID), reason: reason))
    }

    /// Keeps somebody out of the room, and takes out whom it meets.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - duration: how long, rounded up to whole seconds; `nil`: until it is lifted.
    ///   - reason: for people; the banned see it.
    /// - Throws: what the broker has against it.
    public func ban(
        _ subject: ModerationSubject,
        for duration: Duration? = nil,
        reason: String? = nil
    ) async throws(RoomClientError) {
        try await self.impose(.ban, subject, duration, reason)
    }

    /// Lets somebody come back.
    ///
    /// - Throws: ``RoomClientError/Code/sanctionNotFound`` and what else the broker has against it.
    public func unban(_ subject: ModerationSubject) async throws(RoomClientError) {
        try await self.perform(.lift(.ban, try subject.checked()))
    }

    /// Keeps somebody from publishing in the room.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - duration: how long, rounded up to whole seconds; `nil`: until it is lifted.
    ///   - reason: for people; the muted see it.
    /// - Throws: what the broker has against it.
    public func mute(
        _ subject: ModerationSubject,
        for duration: Duration? = nil,
        reason: String? = nil
    ) async throws(RoomClientError) {
        try await self.impose(.mute, subject, duration, reason)
    }

    /// Lets somebody publish again.
    ///
    /// - Throws: ``RoomClientError/Code/sanctionNotFound`` and what else the broker has against it.
    public func unmute(_ subject: ModerationSubject) async throws(RoomClientError) {
        try await self.perform(.lift(.mute, try subject.checked()))
    }

    // MARK: The room

    /// From now on only moderators publish.
    ///
    /// - Parameter reason: for people; the room sees it.
    /// - Throws: what the broker has against it.
    public func lock(reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.lock(reason: reason))
    }

    /// Everybody may publish again.
    ///
    /// - Throws: what the broker has against it.
    public func unlock() async throws(RoomClientError) {
        try await self.perform(.unlock)
    }

    /// Members have to wait between two messages.
    ///
    /// - Parameter interval: rounded up to whole seconds, a day at most; zero: off.
    /// - Throws: what the broker has against it.
    public func slowMode(_ interval: Duration) async throws(RoomClientError) {
        try await self.perform(.slowMode(seconds: interval.secondsRoundedUp))
    }

    /// Nobody comes in beyond so many; those who are in stay.
    ///
    /// - Parameter count: at least 1; `nil`: as many as the channel lets in.
    /// - Throws: ``RoomClientError/Code/invalidField`` for less than 1, and what the broker has against it.
    public func limitMembers(to count: Int?) async throws(RoomClientError) {
        if let count, count < 1 {
            throw RoomClientError(
                .invalidField,
                "a room cannot be limited to \(count) members: give at least 1, or nil for as many as the channel lets in"
            )
        }
        try await self.perform(.limitMembers(count: count ?? 0))
    }

    /// Says something to everybody in the room, outside of its messages.
    ///
    /// - Parameter text: 1 to 2,000 bytes.
    /// - Throws: what the broker has against it.
    public func notify(_ text: String) async throws(RoomClientError) {
        try await self.perform(.notice(text: text))
    }

    // MARK: Messages

    /// Takes a message away, from the history too: a tombstone stays in its place. Of a message that was taken away before nothing
    /// more is said.
    ///
    /// - Parameters:
    ///   - seq: the ``RoomMessage/seq`` of the message.
    ///   - reason: for people; the room sees it.
    /// - Throws: ``RoomClientError/Code/messageNotFound`` and what else the broker has against it.
    public func redact(_ seq: UInt64, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.redact(.seq(seq), reason: reason))
    }

    /// Takes a message away; otherwise as ``redact(_:reason:)-(UInt64,_)``.
    public func redact<Body>(_ message: RoomMessage<Body>, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.redact(.id(message.uniqueID), reason: reason))
    }

    /// Deletes all messages: the room begins anew.
    ///
    /// - Returns: where it begins.
    /// - Throws: what the broker has against it.
    @discardableResult
    public func clear() async throws(RoomClientError) -> RoomPosition {
        let reply = try await self.perform(.clear)
        do throws(BrokerFrameError) {
            return RoomPosition(try reply.clearing())
        } catch {
            throw RoomClientError(error)
        }
    }

    private func impose(
        _ kind: Sanction.Kind,
        _ subject: ModerationSubject,
        _ duration: Duration?,
        _ reason: String?
    ) async throws(RoomClientError) {
        let seconds = duration.map(\.secondsRoundedUp)
        try await self.perform(.impose(kind, try subject.checked(), reason: reason, seconds: seconds))
    }

    @discardableResult
    private func perform(_ act: ModerationAct) async throws(RoomClientError) -> Reply {
        let (request, waiter) = (ModerationRequest(room: self.room, act: act), Waiter<Reply>())
        self.client.core.post { $0.moderate(request, waiter: waiter) }
        return try await waiter.wait()
    }
}

extension Duration {
    fileprivate var secondsRoundedUp: Int {
        let (seconds, attoseconds) = self.components
        return Int(attoseconds > 0 && seconds < .max ? seconds + 1 : seconds)
    }
}
