package import NIOConcurrencyHelpers
import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel

/// Rooms that do what moderators ask for as a test says, and remember in which order it came.
package final class FakeModeratedRooms: ModeratedRooms {
    package enum Call: Equatable {
        case changed(ChannelModeration, ChannelID, Set<RoomName>)
        case perform(RoomAct, RoomKey, by: String)
        case kickFromChannel(ClientID, ChannelID, reason: String?)
        case redactSome(AuthorStep, RoomKey, by: String)
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

    package func perform(
        _ act: RoomAct,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> ModerationReceipt {
        let state = self.note(.perform(act, room, by: String(buffer: sender.json))) { $0 }
        switch act {
        case .kick(let client, _):
            guard state.hasMember else { throw Room.memberNotFound(client, in: room.room) }
            return .done
        case .redact: return .redacted(try state.redaction.get())
        case .clear: return .cleared(try state.clearing.get())
        case .notice: return .notified(try state.notifying.get())
        }
    }

    package func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool {
        self.note(.kickFromChannel(client, channel, reason: reason), \.hasMember)
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

    package func notify(_ notice: Notice, in channel: ChannelID, by sender: Sender) async -> Int {
        self.note(.notifyChannel(notice, channel, by: String(buffer: sender.json))) { _ in 4 }
    }
}
