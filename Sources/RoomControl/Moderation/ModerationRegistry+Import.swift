package import RoomCore
package import RoomDelivery
package import RoomModel

/// Imports are no acts of moderation, but lie outside the control file as redactions do, and wait for the same turn.
extension ModerationRegistry {
    /// Imports a part of a room's history.
    ///
    /// - Parameters:
    ///   - entry: `nil` for a part of what is noted already.
    ///   - store: hands the part to the room.
    /// - Throws: what `store` throws; `storage_unavailable` where the entry cannot be stored, and then nothing is imported.
    package func importHistory(
        into room: RoomKey,
        _ entry: AuditEntry?,
        _ store: () async throws(HistoryImportError) -> ImportReceipt
    ) async throws(HistoryImportError) -> ImportReceipt {
        await self.turns.take(room.channel)
        defer { self.turns.pass(room.channel) }
        guard let entry else { return try await store() }
        return try await self.note(entry, store).get()
    }

    private func note(
        _ entry: AuditEntry,
        _ store: () async throws(HistoryImportError) -> ImportReceipt
    ) async -> Result<ImportReceipt, HistoryImportError> {
        do throws(RequestError) {
            return try await self.noted(entry) { () throws(RequestError) in
                do throws(HistoryImportError) {
                    return (.success(try await store()), isDone: true)
                } catch {
                    if case .refused(let refusal) = error { throw refusal }
                    return (.failure(error), isDone: false)
                }
            }.receipt
        } catch {
            return .failure(.refused(error))
        }
    }
}
