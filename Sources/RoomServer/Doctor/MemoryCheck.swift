import Foundation
import RoomCore
import RoomHost
import RoomModel

/// Whether the machine has the memory that floods can make a broker with these limits use: the formula of
/// `docs/configuration.md`, without connections.
struct MemoryCheck {
    /// The bytes that a broker needs with nobody there, and the bytes that the allocator needs for each byte in use.
    private static let idle = 55_000_000.0
    private static let allocation = 1.5

    let limits: BrokerLimits
    /// Event loops of the broker.
    let loops: Int
    /// Bytes of this machine, or of this container.
    var memory = Self.memory()

    func findings() -> [Finding] { [self.finding()] }

    private func finding() -> Finding {
        let bound = MemoryBound(self.limits)
        let most = Self.idle + Self.allocation * Double(bound.total(.init(loops: self.loops)))
        let owners = MemoryOwner.allCases.filter { $0.scale == .connection }
        let connection = Self.allocation * owners.reduce(0) { $0 + Double(bound[$1]) }
        let text = """
            floods can make the broker use \(Self.text(most)) of \(Self.text(Double(self.memory))), and \
            \(Self.text(connection)) more for each connection
            """
        guard most > Double(self.memory) else { return Finding("memory", .ok, text) }
        return Finding(
            "memory",
            .warning,
            text,
            advice: "lower the limits that \"Memory\" in docs/configuration.md names, or give the machine more memory"
        )
    }

    private static func text(_ bytes: Double) -> String {
        bytes < 1e15 ? ShownSize.text(bytes) : "any amount of memory"
    }

    /// A container may have less than the machine (cgroup v2, `memory.max`).
    private static func memory() -> UInt64 {
        let machine = ProcessInfo.processInfo.physicalMemory
        let group = KernelFile.text("/sys/fs/cgroup/memory.max")
        return min(machine, group.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max)
    }
}
