import Foundation
import GRDB
import RoomCore

extension StoredAdminToken {
    static func fetchAll(_ db: Database) throws -> [StoredAdminToken] {
        try Row.fetchAll(db, sql: "SELECT * FROM admin_token ORDER BY name").map { try StoredAdminToken(row: $0) }
    }

    static func exists(_ db: Database, name: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM admin_token WHERE name = ?)"
        return try Bool.fetchOne(db, sql: sql, arguments: [name.withoutNUL]) ?? false
    }

    static func delete(_ db: Database, name: String) throws {
        try db.execute(sql: "DELETE FROM admin_token WHERE name = ?", arguments: [name.withoutNUL])
    }

    func insert(_ db: Database) throws {
        let scopes = AdminScope.allCases.filter(self.scopes.contains).map(\.rawValue).joined(separator: " ")
        try db.execute(
            sql: "INSERT INTO admin_token (name, hash, scopes, created, expires) VALUES (?, ?, ?, ?, ?)",
            arguments: [self.name.withoutNUL, Data(self.hash), scopes, self.created, self.expires]
        )
    }

    private init(row: Row) throws {
        let name: String = row["name"]
        let words: String = row["scopes"]
        let scopes = try words.split(separator: " ").map { word in
            guard let scope = AdminScope(rawValue: String(word)) else {
                throw InvalidRow(table: "admin_token", key: name, column: "scopes")
            }
            return scope
        }
        self.init(
            name: name,
            hash: Array(row["hash"] as Data),
            scopes: Set(scopes),
            created: row["created"],
            expires: row["expires"]
        )
    }
}
