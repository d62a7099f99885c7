import RoomAdmin
import Testing

@testable import roomline

@Suite struct AdminBackupTests {
    private func check(_ names: [String]) throws {
        let files = names.map { AdminBackup.File(name: $0, bytes: 1, sha256: "") }
        try AdminBackup(id: "1", created: AdminTime(rawValue: ""), files: files).checkNames()
    }

    @Test func `the files of a backup are taken, in any order`() {
        #expect(throws: Never.self) { try self.check(["clock", "control.sqlite", "history.sqlite"]) }
    }

    @Test(arguments: [
        ["history.sqlite", "control.sqlite"],
        ["history.sqlite", "control.sqlite", "../clock"],
        ["history.sqlite", "control.sqlite", "clock", "/etc/cron.d/x"],
        ["history.sqlite", "control.sqlite", "clock", "clock"],
        [],
    ])
    func `other files are not fetched`(_ names: [String]) {
        #expect(throws: CommandFailure.self) { try self.check(names) }
    }
}
