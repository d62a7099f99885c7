import GRDB
import NIOConcurrencyHelpers

/// Reads through the whole file in search of damage, on a connection of its own beside everything else.
final class IntegrityCheck: Sendable {
    private let connection: DatabaseQueue
    private let isStopped = NIOLockedValueBox(false)

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "roomline.history.check"
        configuration.readonly = true
        self.connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Throws SQLITE_CORRUPT where there is damage to the database, SQLITE_INTERRUPT after `stop`. Returns which messages are
    /// damaged in a database that is whole.
    func run() async throws -> [DamagedMessages] {
        try await self.connection.read { db in
            guard !self.isStopped.withLockedValue({ $0 }) else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
            let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
            guard finding == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding) }
            return try DamagedMessages.find(db)
        }
    }

    func close() {
        // Where that fails it is closed with this object.
        try? self.connection.close()
    }

    /// Ends the check wherever it is.
    func stop() {
        self.isStopped.withLockedValue { $0 = true }
        self.connection.interrupt()
    }
}
