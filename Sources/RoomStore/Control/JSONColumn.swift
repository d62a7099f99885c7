import Foundation
import GRDB

/// Lists in a column of their own, as JSON.
enum JSONColumn {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(
        _ type: Value.Type,
        of row: Row,
        _ column: String,
        key: String
    ) throws -> Value {
        let text: String = row[column]
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw InvalidRow(table: "channel", key: key, column: column)
        }
    }
}
