package import NIOConcurrencyHelpers
import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel

/// Rooms that do what moderators ask for as a test says, and remember in which order it came.
package final class FakeModeratedRooms: ModeratedRooms {
    package enum Call: Equatable {
        case changed(ChannelModeration, ChannelID, Set<RoomName>)
        case kick(ClientID, RoomKey, reason: String?, by: String)
        case kickFromChannel(ClientID, ChannelID, reason: String?)
        case redact(MessageReference, RoomKey, reason: String?, by: String)
        case redactSome(AuthorStep, RoomKey, by: String)
        case clear(RoomKey, by: String)
        case notify(Notice, RoomKey, by: String)
        case notifyChannel(Notice, ChannelID, by: String)
    }

    package struct State {
        package var calls: [Call] = []
        package var hasMember = true
        package var affected: AffectedMember?
        package var redaction: Result<RedactionReceipt, RequestError> = .failure(RequestError(.messageNotFound, "none"))
        /// The receipts of the steps, in their order; then there is nothing more.
        package var steps: [AuthorStep.Receipt] = []
        package var clients: Set<ClientID> = []
        package var clearing: Result<Epoch, RequestError> = .success(Epoch(rawValue: 2))
        package var notifying: Result<Int, RequestError> = .success(3)
        /// Runs within each call, to see what there is by then.
        package var meanwhile: (@Sendable () -> Void)?
    }

    package let state = NIOLockedValueBox(State())

    package init() {}

    package var calls: [Call] { self.state.withLockedValue(\.calls) }

    private func note<Value>(_ call: Call, _ answer: (State) -> Value) -> Value {
        let (value, meanwhile) = self.state.withLockedValue { state in
            state.calls.append(call)
            return (answer(state), state.meanwhile)
        }
        meanwhile?()
        return value
    }

    package func moderationChanged(
        _ moderation: ChannelModeration,
        in channel: ChannelID,
        rooms: Set<RoomName>
    ) async {
        self.note(.changed(moderation, channel, rooms)) { _ in }
    }

    package func affected(_ client: ClientID, in channel: ChannelID, _ room: RoomName?) async -> AffectedMember? {
        self.state.withLockedValue(\.affected)
    }

    package func author(of message: MessageReference, in room: RoomKey) async -> AffectedMember? {
        self.state.withLockedValue(\.affected)
    }

    package func kick(_ client: ClientID, from room: RoomKey, reason: String?, by sender: Sender) async -> Bool {
        self.note(.kick(client, room, reason: reason, by: String(buffer: sender.json)), \.hasMember)
    }

    package func kick(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool {
        self.note(.kickFromChannel(client, channel, reason: reason), \.hasMember)
    }

    package func redact(
        _ message: MessageReference,
        in room: RoomKey,
        reason: String?,
        by sender: Sender
    ) async throws(RequestError) -> RedactionReceipt {
        try self.note(.redact(message, room, reason: reason, by: String(buffer: sender.json)), \.redaction).get()
    }

    package func redact(
        _ step: AuthorStep,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> AuthorStep.Receipt {
        self.note(.redactSome(step, room, by: String(buffer: sender.json))) { _ in }
        return self.state.withLockedValue { state in
            let end = Position(epoch: Epoch(rawValue: 1), seq: 0)
            return state.steps.isEmpty ? AuthorStep.Receipt(count: 0, next: nil, end: end) : state.steps.removeFirst()
        }
    }

    package func clients(of user: String, in channel: ChannelID) async -> Set<ClientID> {
        self.state.withLockedValue(\.clients)
    }

    package func clear(_ room: RoomKey, by sender: Sender) async throws(RequestError) -> Epoch {
        try self.note(.clear(room, by: String(buffer: sender.json)), \.clearing).get()
    }

    package func notify(_ notice: Notice, in room: RoomKey, by sender: Sender) async throws(RequestError) -> Int {
        try self.note(.notify(notice, room, by: String(buffer: sender.json)), \.notifying).get()
    }

    package func notify(_ notice: Notice, in channel: ChannelID, by sender: Sender) async -> Int {
        self.note(.notifyChannel(notice, channel, by: String(buffer: sender.json))) { _ in 4 }
    }
}
