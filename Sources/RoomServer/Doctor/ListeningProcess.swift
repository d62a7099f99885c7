import Foundation

/// The process that listens on a TCP port of this machine, as Linux shows it in `/proc`.
struct ListeningProcess: Equatable {
    /// The name of a broker's process.
    static let roomline = "roomline"

    let id: Int32
    let name: String

    var isRoomline: Bool { self.name == Self.roomline }

    /// Empty where that cannot be read.
    static func name(of id: Int32) -> String {
        let name = (try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)) ?? ""
        return name.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// `nil` where nobody does, or this user may not see who.
    static func holder(ofPort port: Int) -> ListeningProcess? {
        // the tables are read in pieces: while connections come and go, one reading can miss a socket
        for _ in 1...5 {
            if let holder = self.look(forHolderOf: port) { return holder }
        }
        return nil
    }

    private static func look(forHolderOf port: Int) -> ListeningProcess? {
        let sockets = self.sockets(listeningOn: port)
        guard !sockets.isEmpty, let processes = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
            return nil
        }
        for process in processes {
            guard let id = Int32(process), self.descriptors(of: id).contains(where: sockets.contains) else { continue }
            return ListeningProcess(id: id, name: Self.name(of: id))
        }
        return nil
    }

    /// On which TCP ports a process listens, the lowest first; empty where this user may not see that.
    static func ports(of id: Int32) -> [Int] {
        let descriptors = Set(self.descriptors(of: id))
        let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { self.listening(in: $0) }
        return Set(sockets.filter { descriptors.contains($0.socket) }.map(\.port)).sorted()
    }

    private static func sockets(listeningOn port: Int) -> Set<String> {
        let all = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { self.listening(in: $0) }
        return Set(all.filter { $0.port == port }.map(\.socket))
    }

    /// All that listen, with their names as `/proc/PID/fd` has them: `socket:[INODE]`.
    private static func listening(in table: String) -> [(port: Int, socket: String)] {
        self.lines(of: table).dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            // local address, state (0A: listening), inode: proc_net_tcp
            guard fields.count > 9, fields[3] == "0A",
                let port = fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) })
            else { return nil }
            return (port, "socket:[\(fields[9])]")
        }
    }

    /// Foundation would take the first piece for the whole: a table comes in pieces that are shorter than what was asked for.
    private static func lines(of table: String) -> [Substring] {
        let descriptor = open(table, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self).split(separator: "\n") }
            bytes += piece[..<count]
        }
    }

    private static func descriptors(of id: Int32) -> [String] {
        let path = "/proc/\(id)/fd"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\($0)") }
    }
}
