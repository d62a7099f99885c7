import RoomCore
import RoomModel

/// The acts of moderators, on their way to the rooms that a shard owns. Confined to the shard's event loop.
struct RoomActs {
    unowned let owner: RoomOwner

    /// Performs an act in a room that this shard owns.
    ///
    /// - Parameter completion: called once on this loop, when the act has its place in the room's order.
    func perform(
        _ act: RoomAct,
        in key: RoomKey,
        by sender: Sender,
        completion: @escaping (Result<ModerationReceipt, RequestError>) -> Void
    ) {
        switch act {
        case .kick(let client, let reason):
            guard let owned = self.owner.rooms[key] else { return completion(.success(.done)) }
            self.take(in: owned, completion) {
                .kick(KickCommand(client: client, reason: reason, sender: sender, origin: $0))
            }
        case .redact(let message, let reason):
            let redaction = Redaction(message: message, reason: reason, sender: sender, completion: completion)
            self.owner.redactions.redact(redaction, in: key)
        case .clear:
            guard let owned = self.owner.room(key) else { return completion(.failure(Session.unknownChannel)) }
            self.take(in: owned, completion) { .clear(ClearCommand(origin: $0, sender: sender)) }
        case .notice(let notice):
            guard self.owner.context.channels[key.channel] != nil else {
                return completion(.failure(Session.unknownChannel))
            }
            guard let owned = self.owner.rooms[key], owned.order.view.members > 0 else {
                return completion(.success(.notified(0)))
            }
            self.take(in: owned, completion) { .notice(NoticeCommand(notice, by: sender, origin: $0)) }
        }
    }

    private func take(
        in owned: OwnedRoom,
        _ completion: @escaping (Result<ModerationReceipt, RequestError>) -> Void,
        _ command: (Origin) -> RoomCommand
    ) {
        let number = self.owner.requests.add(owned.key.channel) { answer in
            switch answer {
            case .moderated(let receipt): completion(.success(receipt))
            case .refused(_, let error): completion(.failure(error))
            default: return
            }
        }
        self.owner.take(command(self.owner.origin(number)), in: owned)
    }
}
