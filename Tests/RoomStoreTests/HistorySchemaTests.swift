import Foundation
import Testing

@testable import RoomStore

@Suite
struct HistorySchemaTests {
    @Test(arguments: [
        ("0001-history.sql", HistorySchema.history0001), ("0002-history.sql", HistorySchema.history0002),
        ("0003-history.sql", HistorySchema.history0003), ("0004-history.sql", HistorySchema.history0004),
        ("0005-history.sql", HistorySchema.history0005), ("0006-history.sql", HistorySchema.history0006),
        ("0007-history.sql", HistorySchema.history0007), ("0008-history.sql", HistorySchema.history0008),
        ("0009-history.sql", HistorySchema.history0009),
        ("0010-history.sql", HistorySchema.history0010), ("0011-history.sql", HistorySchema.history0011),
        ("0012-history.sql", HistorySchema.history0012),
        ("followed-logs.sql", HistorySchema.followedLogs),
        ("0001-control.sql", ControlSchema.control0001), ("0002-control.sql", ControlSchema.control0002),
        ("0003-control.sql", ControlSchema.control0003), ("0004-control.sql", ControlSchema.control0004),
        ("0005-control.sql", ControlSchema.control0005),
        ("followed-control.sql", ControlStore.tables),
    ])
    func `the SQL in the binary is the SQL in Schemas`(_ name: String, _ sql: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try String(contentsOf: root.appending(path: "Schemas/store/\(name)"), encoding: .utf8)
        #expect(sql == file)
    }
}
