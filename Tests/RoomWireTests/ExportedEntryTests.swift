import NIOCore
import RoomModel
import Testing

@testable import RoomWire

@Suite struct ExportedEntryTests {
    private static let id = "019aa3c5-7b16-7016-8f21-6c0d5e4b3a16"
    private static let tail =
        #""id":"019aa3c5-7b16-7016-8f21-6c0d5e4b3a16","timestamp":1763684219,"seq":42,"client_id":"Kf3Qz81LmXw0TbR","#
        + #""sender":{"id":"Kf3Qz81LmXw0TbR","clientData":{ "n" : 1.0 }},"message":{"t":"hé\u0000", "n":1e2}}"#
    private static let line = #"{"type":"publish","room":"a\"b","# + Self.tail

    private func read(_ line: String, _ limits: FrameLimits = FrameLimits()) throws(RequestError) -> ExportedEntry {
        try ExportedEntry(ByteBuffer(string: line), limits: limits)
    }

    @Test func `a line is read, and its bytes are those that the store keeps`() throws {
        let entry = try self.read(Self.line)
        #expect(entry.seq == 42)
        #expect(entry.id == UniqueID(Self.id.utf8))
        #expect(String(buffer: entry.tail) == Self.tail)
    }

    @Test func `what is written for a stored tail is read as that tail`() throws {
        var frame = ByteBuffer()
        PublishWriter(room: RoomName("ü/\"\u{1}")).writeStored(ByteBuffer(string: Self.tail), into: &frame)
        #expect(String(buffer: try ExportedEntry(frame, limits: FrameLimits()).tail) == Self.tail)
    }

    @Test func `a tombstone is an entry, too`() throws {
        let line = Self.line.replacing(#"{"t":"hé\u0000", "n":1e2}}"#, with: #"null,"redacted":true}"#)
        #expect(try self.read(line).seq == 42)
    }

    @Test func `a sender that is not a member has no client id`() throws {
        let line = Self.line.replacing(#""client_id":"Kf3Qz81LmXw0TbR","#, with: "")
        #expect(try self.read(line).seq == 42)
    }

    @Test(arguments: [
        ("", "", "malformed_json"),
        (#""seq":42,"#, "", "missing_field"),
        (#""seq":42"#, #""seq":0"#, "invalid_field"),
        (#""seq":42"#, #""seq":549755813889"#, "invalid_field"),
        (#""seq":42"#, #""seq":4.2"#, "invalid_field"),
        (#""seq":42"#, #""seq":42,"seq":42"#, "duplicate_field"),
        (#""seq":42"#, #""seq":42,"more":1"#, "invalid_field"),
        (#""type":"publish""#, #""type":"gap""#, "invalid_field"),
        (#"{"type""#, #"{ "type""#, "invalid_field"),
        (#","id""#, #", "id""#, "invalid_field"),
        ("7016-8f21", "4016-8f21", "invalid_field"),
        ("7016-8f21", "7016-0f21", "invalid_field"),
        ("5e4b3a16", "5E4B3A16", "invalid_field"),
        ("1763684219", "1763684220", "invalid_field"),
        (#""client_id":"K"#, #""client_id":"X"#, "invalid_field"),
        (#"{"id":"Kf3Qz81LmXw0TbR","#, "{", "invalid_field"),
        ("1e2}}", "1e2}}\r", "invalid_field"),
        (#"1e2}}"#, #"1e2},"redacted":true}"#, "invalid_field"),
        (#"1e2}}"#, #"1e2},"redacted":false}"#, "invalid_field"),
        ("1e2}}", "1e2}", "malformed_json"),
    ])
    func `what a broker would not have written is refused`(_ old: String, _ new: String, _ code: String) {
        let line = old.isEmpty ? "" : Self.line.replacing(old, with: new)
        let error = #expect(throws: RequestError.self) { try self.read(line) }
        #expect(error?.code.rawValue == code, "\(error?.text ?? "")")
    }

    @Test func `sizes and levels have their limits`() {
        var limits = FrameLimits()
        limits.message = 8
        #expect(throws: RequestError.self) { try self.read(Self.line, limits) }
        let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
        let line = Self.line.replacing(#"{"t":"hé\u0000", "n":1e2}"#, with: deep)
        let error = #expect(throws: RequestError.self) { try self.read(line) }
        #expect(error?.code == .nestingTooDeep)
    }
}
