import Foundation
import GRDBSQLite
import RoomModel

/// The control file of a broker's data directory, read beside the broker that runs on it.
struct ControlFile {
    private let path: String

    init(in data: URL) {
        self.path = data.appending(path: "control.sqlite").path
    }

    /// The channel's current secret.
    func secret(of channel: String) throws -> ChannelSecret {
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        guard sqlite3_open_v2(self.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw self.failure(database)
        }
        sqlite3_busy_timeout(database, 10_000)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let query = "SELECT text FROM channel_secret WHERE channel = ? AND position = 0"
        guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else {
            throw self.failure(database)
        }
        let result = channel.withCString { text in
            sqlite3_bind_text(statement, 1, text, -1, nil)
            return sqlite3_step(statement)
        }
        guard result == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { throw self.failure(database) }
        return ChannelSecret(text: String(cString: text))
    }

    private func failure(_ database: OpaquePointer?) -> BrokerFailure {
        BrokerFailure(reason: "no secret in \(self.path): \(String(cString: sqlite3_errmsg(database)))", log: [])
    }
}
