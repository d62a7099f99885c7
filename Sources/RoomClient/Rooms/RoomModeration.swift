public import Foundation
import RoomModel
import RoomWire

/// The actions of a moderator in one room. The access token of the client must grant `"moderate":true` for the room; otherwise
/// every call throws ``RoomClientError/Code/permissionDenied``.
///
/// The client sends each request once. If a call throws ``RoomClientError/Code/connectionLost``, the broker may have carried out
/// the request; it is safe to repeat every request except a notice. All calls throw ``RoomClientError/Code/notConnected`` if
/// there is no connection, and another error if the broker rejects the request.
public struct RoomModeration: Sendable {
    let room: RoomName
    let client: RoomClient

    // MARK: Members

    /// Removes a member from the room. The member can join again unless it is banned.
    ///
    /// - Parameters:
    ///   - clientID: the ``Member/id`` of the member.
    ///   - reason: a text that the member sees; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/memberNotFound`` if the room has no such member.
    public func kick(_ clientID: String, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.room(.kick(ClientID(clientID), reason: reason)))
    }

    /// Bans members from the room. Present members that match are removed.
    ///
    /// - Parameters:
    ///   - subject: the members to ban.
    ///   - duration: the length of the ban, rounded up to whole seconds; `nil`: until ``unban(_:)``.
    ///   - reason: a text that the banned members see; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/invalidField`` if an address is not valid;
    ///   ``RoomClientError/Code/tooManySanctions`` if the channel has too many bans and mutes.
    public func ban(
        _ subject: ModerationSubject,
        for duration: Duration? = nil,
        reason: String? = nil
    ) async throws(RoomClientError) {
        try await self.impose(.ban, subject, duration, reason)
    }

    /// Bans members from the room, and redacts all that the room has stored of them; see ``redactMessages(of:reason:)``.
    ///
    /// - Parameters:
    ///   - subject: a user or a client.
    ///   - duration: the length of the ban, rounded up to whole seconds; `nil`: until ``unban(_:)``.
    ///   - reason: a text that the members see; at most 500 bytes.
    /// - Returns: the number of redacted messages.
    /// - Throws: ``RoomClientError/Code/tooManySanctions`` if the channel has too many bans and mutes.
    @discardableResult
    public func banAndRedactMessages(
        of subject: ModerationSubject,
        for duration: Duration? = nil,
        reason: String? = nil
    ) async throws(RoomClientError) -> Int {
        let (subject, seconds) = (try subject.checked(), duration.map(\.secondsRoundedUp))
        return try await self.redactAll(of: subject, .banAndRedact(subject, reason: reason, seconds: seconds), reason)
    }

    /// Lifts a ban.
    ///
    /// - Parameter subject: the same as in ``ban(_:for:reason:)``.
    /// - Throws: ``RoomClientError/Code/sanctionNotFound`` if there is no such ban.
    public func unban(_ subject: ModerationSubject) async throws(RoomClientError) {
        try await self.perform(.lift(.ban, try subject.checked()))
    }

    /// Mutes members: they can read the room and cannot publish.
    ///
    /// - Parameters:
    ///   - subject: the members to mute.
    ///   - duration: the length of the mute, rounded up to whole seconds; `nil`: until ``unmute(_:)``.
    ///   - reason: a text that the muted members see; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/invalidField`` if an address is not valid;
    ///   ``RoomClientError/Code/tooManySanctions`` if the channel has too many bans and mutes.
    public func mute(
        _ subject: ModerationSubject,
        for duration: Duration? = nil,
        reason: String? = nil
    ) async throws(RoomClientError) {
        try await self.impose(.mute, subject, duration, reason)
    }

    /// Lifts a mute.
    ///
    /// - Parameter subject: the same as in ``mute(_:for:reason:)``.
    /// - Throws: ``RoomClientError/Code/sanctionNotFound`` if there is no such mute.
    public func unmute(_ subject: ModerationSubject) async throws(RoomClientError) {
        try await self.perform(.lift(.mute, try subject.checked()))
    }

    // MARK: The room

    /// Locks the room: only moderators can publish.
    ///
    /// - Parameter reason: a text that the members see; at most 500 bytes.
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func lock(reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.lock(reason: reason))
    }

    /// Unlocks the room: all members can publish again.
    ///
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func unlock() async throws(RoomClientError) {
        try await self.perform(.unlock)
    }

    /// Sets slow mode: each member has to wait between two messages.
    ///
    /// - Parameter interval: the time between two messages, rounded up to whole seconds, at most one day; zero: no slow mode.
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func setSlowMode(_ interval: Duration) async throws(RoomClientError) {
        try await self.perform(.slowMode(seconds: interval.secondsRoundedUp))
    }

    /// Limits the number of members. Present members stay, also if they are more.
    ///
    /// - Parameter count: the maximum number of members, at least 1; `nil`: the limit of the channel.
    /// - Throws: ``RoomClientError/Code/invalidField`` if `count` is less than 1.
    public func limitMembers(to count: Int?) async throws(RoomClientError) {
        if let count, count < 1 {
            throw RoomClientError(
                .invalidField,
                "a room cannot be limited to \(count) members: give at least 1, or nil for the limit of the channel"
            )
        }
        try await self.perform(.limitMembers(count: count ?? 0))
    }

    /// Sends a notice to all members of the room. It is not a message, and is not stored.
    ///
    /// - Parameter text: the notice, 1 to 2,000 bytes.
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func sendNotice(_ text: String) async throws(RoomClientError) {
        try await self.perform(.room(.notice(Notice(text: text))))
    }

    // MARK: Messages

    /// Redacts a message: the broker deletes its text, from the history too, and keeps a tombstone in its place. To redact a message
    /// again has no effect.
    ///
    /// - Parameters:
    ///   - seq: the ``RoomMessage/seq`` of the message.
    ///   - reason: a text that the members see; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/messageNotFound`` if the room has no such message.
    public func redact(_ seq: UInt64, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.room(.redact(.seq(seq), reason: reason)))
    }

    /// Redacts a message; the same as ``redact(_:reason:)-(UInt64,_)``.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - reason: a text that the members see; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/messageNotFound`` if the room has no such message.
    public func redact<Body>(_ message: RoomMessage<Body>, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.room(.redact(.id(message.uniqueID), reason: reason)))
    }

    /// Redacts a message, also where another one may have its `seq` by now, because the room was cleared.
    ///
    /// - Parameters:
    ///   - id: the ``RoomMessage/id`` of the message.
    ///   - reason: a text that the members see; at most 500 bytes.
    /// - Throws: ``RoomClientError/Code/messageNotFound`` if the room has no such message.
    public func redact(id: UUID, reason: String? = nil) async throws(RoomClientError) {
        try await self.perform(.room(.redact(.id(UniqueID(id)), reason: reason)))
    }

    /// Redacts all messages of somebody that the room has stored: of a user, those of all sessions.
    ///
    /// - Parameters:
    ///   - subject: a user or a client.
    ///   - reason: a text that the members see; at most 500 bytes.
    /// - Returns: the number of redacted messages.
    /// - Throws: ``RoomClientError/Code/invalidField`` if the subject is an address.
    @discardableResult
    public func redactMessages(
        of subject: ModerationSubject,
        reason: String? = nil
    ) async throws(RoomClientError) -> Int {
        let subject = try subject.checked()
        return try await self.redactAll(of: subject, .redactAll(subject, after: 0, reason: reason), reason)
    }

    private func redactAll(
        of subject: SanctionSubject,
        _ first: ModerationAct,
        _ reason: String?
    ) async throws(RoomClientError) -> Int {
        var (act, count) = (first, 0)
        while true {
            let reply = try await self.perform(act)
            let done: RedactAllReply
            do throws(BrokerFrameError) {
                done = try reply.redactedMessages()
            } catch {
                throw RoomClientError(error)
            }
            count += done.count
            guard let next = done.next else { return count }
            act = .redactAll(subject, after: next, reason: reason)
        }
    }

    // MARK: What is set

    /// The rules of the room, and the bans and mutes in it.
    ///
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func state() async throws(RoomClientError) -> RoomModerationState {
        RoomModerationState(try await self.show(authorOf: nil))
    }

    /// The author of a message, as a subject of ``ban(_:for:reason:)`` and the other calls.
    ///
    /// - Parameter seq: the ``RoomMessage/seq`` of the message.
    /// - Returns: the user; the client where its token names no user, or the broker does not know it; `nil` if the room has no such
    ///   message any more, or no member has written it.
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    public func author(of seq: UInt64) async throws(RoomClientError) -> ModerationSubject? {
        try await self.show(authorOf: .seq(seq)).author.flatMap { ModerationSubject($0) }
    }

    private func show(authorOf message: MessageReference?) async throws(RoomClientError) -> ModerationStateReply {
        let reply = try await self.perform(.show(authorOf: message))
        do throws(BrokerFrameError) {
            return try reply.moderationState()
        } catch {
            throw RoomClientError(error)
        }
    }

    /// Deletes all messages of the room.
    ///
    /// - Returns: the position at which the room starts again.
    /// - Throws: ``RoomClientError``, as described in ``RoomModeration``.
    @discardableResult
    public func clear() async throws(RoomClientError) -> RoomPosition {
        let reply = try await self.perform(.room(.clear))
        do throws(BrokerFrameError) {
            return RoomPosition(try reply.clearing().position)
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
