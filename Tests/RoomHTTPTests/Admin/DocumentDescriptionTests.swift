import Foundation
import RoomDocuments
import RoomWire
import Testing

/// Every document of the admin API is described as `Schemas/admin.openapi.yaml` has it, field by field.
@Suite struct DocumentDescriptionTests {
    private static let described: [String: [ListedField]] = [
        "AuditEntry": FieldListing.fields(of: AdminAuditEntry.self),
        "Author": FieldListing.fields(of: AdminAuthor.self),
        "BusyAddress": FieldListing.fields(of: AdminStatistics.BusyAddress.self),
        "BusyConnection": FieldListing.fields(of: AdminStatistics.BusyConnection.self),
        "BusyRoom": FieldListing.fields(of: AdminStatistics.BusyRoom.self),
        "Backup": FieldListing.fields(of: AdminBackup.self),
        "ClearedRoom": FieldListing.fields(of: ClearedRoom.self),
        "Cluster": FieldListing.fields(of: AdminCluster.self),
        "ClusterNode": FieldListing.fields(of: AdminCluster.Node.self),
        "ClusterStream": FieldListing.fields(of: AdminCluster.Stream.self),
        "ConsoleLink": FieldListing.fields(of: AdminConsoleLink.self),
        "CreatedToken": FieldListing.fields(of: AdminToken.self),
        "FigureList": FieldListing.fields(of: AdminFigureList.self),
        "Figures": FieldListing.fields(of: AdminFigures.self),
        "History": FieldListing.fields(of: AdminChannel.History.self),
        "ImportedPart": FieldListing.fields(of: ImportedPart.self),
        "Member": FieldListing.fields(of: AdminMember.self),
        "MessagePage": FieldListing.fields(of: AdminHistoryPage.self),
        "NewNotice": FieldListing.fields(of: NewAdminNotice.self),
        "NewSanction": FieldListing.fields(of: NewAdminSanction.self),
        "NewToken": FieldListing.fields(of: NewAdminToken.self),
        "NodeFigures": FieldListing.fields(of: AdminStatistics.Node.self),
        "Notified": FieldListing.fields(of: NotifiedConnections.self),
        "PreviousSecret": FieldListing.fields(of: AdminChannel.PreviousSecret.self),
        "PruneOrder": FieldListing.fields(of: AdminPruneOrder.self),
        "Pruned": FieldListing.fields(of: PrunedMessages.self),
        "Receipt": FieldListing.fields(of: AdminReceipt.self),
        "RedactedMessages": FieldListing.fields(of: RedactedMessages.self),
        "Redaction": FieldListing.fields(of: AdminRedaction.self),
        "RedactionOrder": FieldListing.fields(of: AdminRedactionOrder.self),
        "Room": FieldListing.fields(of: AdminRoom.self),
        "RoomSummary": FieldListing.fields(of: AdminRoomSummary.self),
        "RotatedSecret": FieldListing.fields(of: AdminSecret.self),
        "Rotation": FieldListing.fields(of: AdminRotation.self),
        "Rules": FieldListing.fields(of: AdminRules.self),
        "RulesPatch": FieldListing.fields(of: AdminRulesPatch.self),
        "Sanction": FieldListing.fields(of: AdminSanction.self),
        "SlowMember": FieldListing.fields(of: AdminStatistics.SlowMember.self),
        "Statistics": FieldListing.fields(of: AdminStatistics.self),
        "StoredRoom": FieldListing.fields(of: AdminStoredRoom.self),
        "Token": FieldListing.fields(of: AdminToken.self),
        "TokenList": FieldListing.fields(of: AdminTokenList.self),
        "Trace": FieldListing.fields(of: AdminTrace.self),
    ]

    /// Where a description is meant to differ: what clients do without, so that they can read what older brokers send, and what a
    /// document has in one of its forms only.
    private static let exceptions: [String: Set<String>] = [
        "AuditEntry": ["details is required"],
        "ClearedRoom": ["seq is required"],
        "CreatedToken": ["token is required"],
        "ImportedPart": ["messages is required"],
        "Room": ["messages_per_second is required", "rules is required"],
        "Statistics": [
            "busy is required", "busiest is required", "busiest_addresses is required", "busiest_rooms is required",
            "published_bytes is required", "delivered_bytes is required", "errors is required", "version is required",
            "uptime_seconds is required", "cpu_seconds is required", "warnings is required",
            "stored: time is required", "stored: file_bytes is required",
            "channels: stored: only one of them has time", "channels: stored: only one of them has file_bytes",
        ],
        "StoredRoom": ["seq is required"],
        "Token": ["only one of them has token"],
        "TokenList": ["tokens: only one of them has token"],
    ]

    private static func schemas() throws -> [String: OpenAPISchema] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Schemas/admin.openapi.yaml").standardizedFileURL
        return try OpenAPISchema.named(in: String(contentsOf: file, encoding: .utf8))
    }

    @Test(arguments: Self.described.keys.sorted())
    func `a description and its schema agree`(name: String) throws {
        let schema = try #require(try Self.schemas()[name])
        let fields = try #require(Self.described[name])
        let differences = schema.differences(from: fields)
        #expect(Set(differences) == Self.exceptions[name] ?? [])
        // it would be noticed if one of the fields were forgotten
        for index in fields.indices {
            var rest = fields
            rest.remove(at: index)
            #expect(Set(schema.differences(from: rest)) != Set(differences))
        }
    }
}
