import Foundation
import GRDB
import RoomCore
package import RoomModel

/// The settings of a channel that a start or a reload changes, as its audit entry tells it.
package struct SettingsChange {
    private let action: AuditAction
    private let channel: ChannelID
    /// The details of its audit entry.
    package let details: String

    /// `nil` where the stored settings are these.
    package init?(of stored: ChannelSettings?, to settings: ChannelSettings) throws {
        let old = try stored.map { try Self.values($0) }
        var changes: [String: Any] = [:]
        for (column, value) in try Self.values(settings) where old?[column] != value {
            changes[column] = ["from": Self.json(old?[column] ?? .null), "to": Self.json(value)]
        }
        guard stored == nil || !changes.isEmpty else { return nil }
        self.action = stored == nil ? .createChannel : .updateChannel
        self.channel = settings.id
        let json = try JSONSerialization.data(
            withJSONObject: ["changes": changes],
            options: [.sortedKeys, .withoutEscapingSlashes]
        )
        self.details = String(decoding: json, as: UTF8.self)
    }

    func audit(time: Int64) -> AuditEntry {
        AuditEntry(
            time: time,
            actor: "start",
            origin: "flags",
            action: self.action.rawValue,
            target: self.channel.text,
            details: self.details
        )
    }

    private static func values(_ settings: ChannelSettings) throws -> [String: DatabaseValue] {
        let columns = try settings.columns().map { ($0.name, $0.value?.databaseValue ?? .null) }
        return Dictionary(columns) { _, last in last }
    }

    private static func json(_ value: DatabaseValue) -> Any {
        switch value.storage {
        case .int64(let number): number
        case .string(let text): text
        case .null, .double, .blob: NSNull()
        }
    }
}
