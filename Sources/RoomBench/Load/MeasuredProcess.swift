import Foundation

/// The broker's process, where it runs on this machine: what the kernel counts for it (proc(5)).
package struct MeasuredProcess: Equatable, Sendable {
    package let id: Int32

    /// - Returns: `nil` if there is no such process that can be measured.
    package init?(id: Int32) {
        self.id = id
        guard id > 0, self.seconds != nil, self.residentBytes != nil else { return nil }
    }

    /// Finds the process that listens at this port of this machine, if it is a broker and its owner is the same user.
    init?(listeningAt port: Int) {
        let sockets = ["tcp", "tcp6"].flatMap { name in
            let table = try? String(contentsOfFile: "/proc/net/\(name)", encoding: .utf8)
            return table.map { ListeningSockets.inodes(in: $0, port: port) } ?? []
        }
        guard !sockets.isEmpty else { return nil }
        let names = Set(sockets.map { "socket:[\($0)]" })
        let found = Self.processes.filter { Self.name(of: $0) == "roomline" && Self.holds($0, names) }
        guard found.count == 1, let id = found.first else { return nil }
        self.init(id: id)
    }

    /// Processor time of all its threads, in seconds.
    var seconds: Double? { ProcessTimes.of(process: self.id) }

    /// The resident part of its memory, in bytes.
    var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(self.id)/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Whether it runs the same file as this process, and so is of the same version.
    package var isSameProgram: Bool {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(self.id)/exe")
        return program != nil
            && program == (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    }

    private static var processes: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
    }

    private static func name(of process: Int32) -> String? {
        let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines)
    }

    private static func holds(_ process: Int32, _ sockets: Set<String>) -> Bool {
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { file in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")
            return target.map { sockets.contains($0) } ?? false
        }
    }
}

/// The kernel's table of TCP sockets.
enum ListeningSockets {
    /// - Parameter table: the text of `/proc/net/tcp` or `/proc/net/tcp6`.
    /// - Returns: those of the sockets that listen at this port.
    static func inodes(in table: String, port: Int) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == self.listening,
                let digits = fields[1].split(separator: ":").last, Int(digits, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }

    /// `TCP_LISTEN`
    private static let listening = "0A"
}
