import RoomCore
import RoomModel

/// Clearing a room that this shard owns.
extension RoomShard {
    /// - Parameter completion: called once on this loop, when the room begins anew.
    func clear(
        _ key: RoomKey,
        by sender: Sender,
        completion: @escaping (Result<Epoch, RequestError>) -> Void
    ) {
        guard let owned = self.ownedRoom(key) else { return completion(.failure(Session.unknownChannel)) }
        let number = self.externalRequests.add(key.channel) { answer in
            switch answer {
            case .moderated(.cleared(let epoch)): completion(.success(epoch))
            case .refused(let error): completion(.failure(error))
            case .acknowledged, .history, .kicked, .located, .moderated: return
            }
        }
        self.accept(.clear(ClearCommand(origin: self.origin(number), sender: sender)), in: owned)
    }

    /// The room's turn has come. Rooms without history may have a log from before it was turned off.
    func clearLog(of owned: OwnedRoom) {
        let (ref, key) = (self.ref, owned.key)
        self.environment.engine.clear([key]) { result in
            ref.post { shard in shard.logCleared(key, result) }
        }
    }

    private func logCleared(_ key: RoomKey, _ result: Result<Void, EngineError>) {
        // not where the room has been deleted and made again meanwhile
        guard let owned = self.owned[key], owned.room.phase == .clearing else { return }
        switch result {
        case .success:
            guard !owned.room.cleared(epoch: Epoch(rawValue: self.entropy.next())) else { return self.open(owned) }
            self.clearWindow(of: owned)
        case .failure:
            owned.room.clearFailed()
        }
        self.adoptNextChannel(owned)
        self.enqueue(owned)
    }
}
