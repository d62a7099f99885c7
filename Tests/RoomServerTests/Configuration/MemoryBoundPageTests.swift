import Foundation
import RoomCore
import Testing

/// The page of the configuration has the formula that bounds the memory of the broker.
struct MemoryBoundPageTests {
    private static func page() throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/configuration.md").standardizedFileURL
        return try String(contentsOf: page, encoding: .utf8)
    }

    /// Rounded up.
    private static func shown(_ bytes: Int) -> String {
        let (unit, name) = bytes >= 1 << 20 ? (1 << 20, "MiB") : (1 << 10, "KiB")
        return "\((bytes + unit - 1) / unit) \(name)"
    }

    @Test(arguments: MemoryOwner.allCases)
    func `it has a row for each owner, with what it may use by default`(owner: MemoryOwner) throws {
        let row = "| \(owner.rawValue) | \(owner.scale.rawValue) | \(Self.shown(MemoryBound(BrokerLimits())[owner])) |"
        #expect(try Self.page().contains("\n\(row) "), "docs/configuration.md needs a row that begins with\n\(row)")
    }

    @Test func `it has the sum of what does not come with connections`() throws {
        let sum = Self.shown(MemoryBound(BrokerLimits()).total(MemoryBound.Counts()))
        #expect(try Self.page().contains("come to \(sum)"), "docs/configuration.md has another sum than \(sum)")
    }

    @Test func `a limit that is switched off makes the bound endless`() {
        var limits = BrokerLimits()
        limits.memoryTotal = .max
        #expect(MemoryBound(limits).total(MemoryBound.Counts()) == .max)
    }

    @Test func `the defaults keep a broker with one event loop and one channel below 400 MB`() {
        let bytes = MemoryBound(BrokerLimits()).total(MemoryBound.Counts())
        #expect(55_000_000 + bytes / 2 * 3 < 400_000_000)
    }
}
