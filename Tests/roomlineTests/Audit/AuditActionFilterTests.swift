import ArgumentParser
import Foundation
import RoomAdmin
import Testing

@testable import roomline

@Suite struct AuditActionFilterTests {
    @Test(
        arguments: [
            ("channel.create", "channel.create", nil), ("ban", "sanction.impose", .ban),
            ("MUTE", "sanction.impose", .mute),
            ("unban", "sanction.lift", .ban), ("unmute", "sanction.lift", .mute), ("kick", "member.kick", nil),
            ("lock", "room.lock", nil), ("unlock", "room.unlock", nil), ("slow-mode", "room.slow_mode", nil),
            ("room.slow-mode", "room.slow_mode", nil), ("limit", "room.limit_members", nil),
            ("clear", "room.clear", nil),
            ("redact", "message.redact", nil), ("prune", "history.prune", nil),
            ("rotate-secret", "channel.rotate_secret", nil),
            ("sanction.impose", "sanction.impose", nil), ("set", "channel.update", nil),
        ] as [(String, String, AdminSanction.Kind?)]
    )
    func `an action is a word of the log or a command`(text: String, name: String, kind: AdminSanction.Kind?) throws {
        #expect(try AuditActionFilter.reading(text) == AuditActionFilter(name: name, kind: kind))
    }

    @Test(arguments: [
        ("nonsense", "there are backup.create, channel.create"), ("channel.creat", "did you mean channel.create?"),
        ("bann", "did you mean ban?"), ("notice", "channel.notice or room.notice"), ("create", "say which one"),
        ("", "there are"),
    ])
    func `another one is refused with those that there are`(text: String, part: String) {
        let error = #expect(throws: ValidationError.self) { try AuditActionFilter.reading(text) }
        #expect(error?.message.contains(part) == true)
    }

    @Test func `bans are told from mutes`() throws {
        let entries: [AdminAuditEntry] = try Golden.documents(
            #"[{"time":"2026-11-29T20:27:33.960Z","actor":"uid:0","origin":"unix","action":"sanction.impose","target":"talk","#
                + #""details":{"kind":"mute","user":"luke"}},{"time":"2026-11-29T20:27:33.850Z","actor":"uid:0","#
                + #""origin":"unix","action":"sanction.impose","target":"talk","details":{"kind":"ban","user":"luke"}}]"#
        )
        #expect(entries.map { AuditActionFilter(name: "sanction.impose", kind: .ban).isMeant($0) } == [false, true])
        #expect(entries.allSatisfy { AuditActionFilter(name: "sanction.impose").isMeant($0) })
    }

    @Test(arguments: ["uid:0", "token:ops", "member:leia", "member:a:b", "start", "reload", "console"])
    func `an author has a kind`(text: String) throws {
        #expect(try AuditActor.reading(text) == text)
    }

    @Test(arguments: [
        ("leia", "member:leia, token:leia or uid:N"), ("user:leia", "member:leia"), ("0", "uid:0"),
        ("member:", "member:"),
        ("", "member:NAME"),
    ])
    func `an author without one is refused with those that there are`(text: String, part: String) {
        let error = #expect(throws: ValidationError.self) { try AuditActor.reading(text) }
        #expect(error?.message.contains(part) == true)
    }
}
