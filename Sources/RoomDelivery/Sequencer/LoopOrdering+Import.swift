package import RoomCore
import RoomModel

extension LoopOrdering {
    /// How often the room is asked to look at its log again; once is enough unless it was just opening it.
    private static let rereads = 3

    package func importHistory(
        _ part: LogImport,
        through gateway: RoomGateway
    ) async throws(HistoryImportError) -> ImportReceipt {
        let result = await withCheckedContinuation { continuation in
            gateway.engine.importLog(part) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let receipt):
            await self.reread(part.room, until: receipt.epoch, through: gateway)
            return receipt
        case .failure(.occupied): throw .occupied
        case .failure(.movedOn): throw .movedOn
        case .failure(.unavailable): throw .isUnknown
        }
    }

    /// Has the room open its log again, which tells its members of the new epoch.
    private func reread(_ room: RoomKey, until epoch: Epoch, through gateway: RoomGateway) async {
        for _ in 0..<Self.rereads {
            await gateway.ask(gateway.owner(of: room)) { $0.owner.logReplaced(of: room) }
            let found: Epoch? = await withCheckedContinuation { continuation in
                gateway.owner(of: room).post { shard in
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
