package import RoomCore
package import RoomModel

extension RoomGateway {
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
        return try await self.environment.ordering.importHistory(part, through: self)
    }
}
