package import RoomCore
package import RoomModel

extension RoomGateway {
    /// How often the room is asked to look at its log again; once is enough unless it was just opening it.
    private static let rereads = 3

    package func importHistory(
        _ entries: [LogEntry],
        into room: RoomKey,
        after: Position?
    ) async throws(HistoryImportError) -> ImportReceipt {
        guard let channel = self.channel(room.channel.text) else { throw .refused(Session.unknownChannel) }
        guard let retention = channel.history(of: room.room) else {
            throw .refused(RequestError(.historyOff, "this room keeps no history: turn it on first"))
        }
        let part = LogImport(room: room, retention: retention, after: after, entries: entries)
        let result = await withCheckedContinuation { continuation in
            self.engine.importLog(part) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let receipt):
            await self.reread(room, until: receipt.epoch)
            return receipt
        case .failure(.occupied): throw .occupied
        case .failure(.movedOn): throw .movedOn
        case .failure(.unavailable):
            throw .refused(
                RequestError(
                    .storageUnavailable,
                    "the history cannot be written now, and it is unknown whether this part was stored",
                    retryAfterMilliseconds: 1_000
                )
            )
        }
    }

    /// Has the room open its log again, which tells its members of the new epoch.
    private func reread(_ room: RoomKey, until epoch: Epoch) async {
        for _ in 0..<Self.rereads {
            await self.ask(self.owner(of: room)) { $0.owner.logReplaced(room) }
            let found: Epoch? = await withCheckedContinuation { continuation in
                self.owner(of: room).post { shard in
                    shard.owner.readLog(of: room, HistoryRequest(room: room.room)) { _, result in
                        continuation.resume(returning: try? result.get().epoch)
                    }
                }
            }
            // Another one: it was being opened while the import was under way.
            if found == epoch || found == nil { return }
        }
    }
}
