import Foundation

/// A process of this machine, as Linux shows it in `/proc` (proc(5)). Where this user may not see something, and on other
/// systems, it is `nil` or empty.
package struct HostProcess: Equatable, Sendable {
    package static let own = HostProcess(id: ProcessInfo.processInfo.processIdentifier)

    package let id: Int32

    package init(id: Int32) {
        self.id = id
    }

    package var name: String {
        (KernelFile.text("/proc/\(self.id)/comm") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The path of the file that it runs.
    package var program: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(self.id)/exe")
    }

    package var runsThisProgram: Bool { self.program != nil && self.program == Self.own.program }

    package var isRoomline: Bool {
        self.name == "roomline" || self.program.map { URL(filePath: $0).lastPathComponent == "roomline" } ?? false
    }

    /// The resident part of its memory.
    package var residentBytes: Int? {
        let fields = KernelFile.text("/proc/\(self.id)/statm")?.split(separator: " ") ?? []
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }

    /// The processor time of all its threads, in seconds.
    package var seconds: Double? {
        #if os(Linux)
        var clock = clockid_t()
        guard self.id > 0, clock_getcpuclockid(self.id, &clock) == 0 else { return nil }
        return ProcessorTime.of(clock).map { Double($0) / 1e9 }
        #else
        nil
        #endif
    }

    package var isMeasurable: Bool { self.seconds != nil && self.residentBytes != nil }

    // MARK: Ports

    /// The process that listens at a TCP port.
    package static func holder(ofPort port: Int) -> HostProcess? {
        // the tables are read in pieces: while connections come and go, one reading can miss a socket
        for _ in 1...5 {
            if let holder = self.look(forHolderOf: port) { return holder }
        }
        return nil
    }

    private static func look(forHolderOf port: Int) -> HostProcess? {
        let sockets = Set(self.listeningSockets.filter { $0.port == port }.map(\.name))
        guard !sockets.isEmpty else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0).map { HostProcess(id: $0) } }.first { process in
            process.descriptors.contains { sockets.contains($0) }
        }
    }

    /// The TCP ports at which it listens, the lowest first.
    package var ports: [Int] {
        let descriptors = Set(self.descriptors)
        return Set(Self.listeningSockets.filter { descriptors.contains($0.name) }.map(\.port)).sorted()
    }

    private static var listeningSockets: [ListeningSocket] {
        ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { ListeningSocket.all(in: KernelFile.text($0) ?? "") }
    }

    private var descriptors: [String] {
        let path = "/proc/\(self.id)/fd"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\($0)") }
    }
}

struct ListeningSocket: Equatable {
    let port: Int
    /// As `/proc/PID/fd` has it: `socket:[INODE]`.
    let name: String

    /// - Parameter table: the text of `/proc/net/tcp` or `/proc/net/tcp6`.
    static func all(in table: String) -> [ListeningSocket] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            // local address, state (0A: listening), inode: proc_net_tcp
            guard fields.count > 9, fields[3] == "0A",
                let port = fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) })
            else { return nil }
            return ListeningSocket(port: port, name: "socket:[\(fields[9])]")
        }
    }
}
