import RoomCore
import Testing

@testable import RoomServer

struct MemoryCheckTests {
    private static func finding(_ limits: BrokerLimits = .init(), memory: UInt64) -> Finding? {
        MemoryCheck(limits: limits, loops: 1, memory: memory).findings().first
    }

    @Test func `a machine that has the memory for floods is well`() {
        let finding = Self.finding(memory: 8_000_000_000)
        #expect(finding?.status == .ok)
        #expect(
            finding?.text == """
                floods can make the broker use 373 MiB of 7.5 GiB, and 24.0 KiB more for each connection
                """
        )
    }

    @Test func `a small machine is told, until the limits fit`() {
        #expect(Self.finding(memory: 350_000_000)?.status == .warning)
        #expect(Self.finding(memory: 350_000_000)?.advice != nil)
        var limits = BrokerLimits()
        limits.memoryTotal = 16 << 20
        #expect(Self.finding(limits, memory: 350_000_000)?.status == .ok)
    }

    @Test func `limits that are switched off make the use unlimited`() {
        var limits = BrokerLimits()
        limits.memoryTotal = .max
        #expect(Self.finding(limits, memory: 1 << 40)?.text.contains("any amount of memory") ?? false)
    }
}
