import Foundation
import GRDB
import RoomModel

extension ChannelSettings {
    /// The columns of `channel` that hold settings, and what these settings are in them.
    func columns() throws -> [(name: String, value: (any DatabaseValueConvertible)?)] {
        try ChannelSetting.all.map { ($0.column, try $0.stored(in: self)) }
    }

    init(row: Row) throws {
        let text: String = row["id"]
        guard let id = ChannelID(text) else { throw InvalidRow(table: "channel", key: text, column: "id") }
        self.init(id: id)
        for setting in ChannelSetting.all {
            do {
                try setting.read(row, into: &self)
            } catch {
                throw InvalidRow(table: "channel", key: text, column: setting.column)
            }
        }
    }
}

extension ChannelSetting {
    /// Durations are in milliseconds, lists are JSON, `NULL` stands for none.
    fileprivate func stored(in settings: ChannelSettings) throws -> (any DatabaseValueConvertible)? {
        switch self.form {
        case .text(let field, _): field.get(settings)?.withoutNUL
        case .choice(let field, _): field.get(settings)
        case .count(let field, _, _): field.get(settings)
        case .duration(let field, _, _): field.get(settings)?.wholeMilliseconds
        case .historyRules(let field): try JSONColumn.text(field.get(settings)?.map(StoredHistoryRule.init))
        case .origins(let field): try JSONColumn.text(field.get(settings))
        }
    }

    /// - Throws: where the column holds what no setting can be.
    fileprivate func read(_ row: Row, into settings: inout ChannelSettings) throws {
        switch self.form {
        case .text(let field, _): field.set(row[self.column], &settings)
        case .choice(let field, let words):
            let word: String = row[self.column]
            guard words.contains(word) else { throw InvalidColumn() }
            field.set(word, &settings)
        case .count(let field, _, _): field.set(row[self.column], &settings)
        case .duration(let field, _, _):
            let milliseconds: Int64? = row[self.column]
            field.set(milliseconds.map { .milliseconds($0) }, &settings)
        case .historyRules(let field):
            field.set(try JSONColumn.value([StoredHistoryRule].self, of: row[self.column]).map(\.rule), &settings)
        case .origins(let field):
            field.set(try JSONColumn.value([String].self, of: row[self.column]), &settings)
        }
    }
}

private struct InvalidColumn: Error {}

/// An element of the column `history_rules`.
private struct StoredHistoryRule: Codable {
    var pattern: String
    var count: Int?
    var ageMilliseconds: Int64?

    enum CodingKeys: String, CodingKey {
        case pattern
        case count
        case ageMilliseconds = "age_milliseconds"
    }

    init(_ rule: HistoryRule) {
        self.pattern = rule.pattern
        self.count = rule.history?.count
        self.ageMilliseconds = rule.history?.age.wholeMilliseconds
    }

    var rule: HistoryRule {
        guard let count, let ageMilliseconds else { return HistoryRule(pattern: self.pattern, history: nil) }
        let history = HistorySettings(count: count, age: .milliseconds(ageMilliseconds))
        return HistoryRule(pattern: self.pattern, history: history)
    }
}

/// Lists in a column of their own, as JSON.
private enum JSONColumn {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
