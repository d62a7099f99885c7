import Foundation
import RoomStore

/// Signs of a broker on a data directory, without asking it.
package enum BrokerPresence: Equatable, Sendable {
    case none
    /// `process` is `nil` where it is not known which: it may be in a container, or another user's.
    case runs(process: Int32?)
    /// This user may not look.
    case notKnown

    static func of(_ directory: String) -> BrokerPresence {
        switch DataDirectory.use(of: directory) {
        case .nobody: .none
        case .process(let id): .runs(process: id.flatMap { self.isRoomline($0) ? $0 : nil })
        case .notKnown: .notKnown
        }
    }

    package var process: Int32? {
        guard case .runs(let process) = self else { return nil }
        return process
    }

    package var runs: Bool {
        guard case .runs = self else { return false }
        return true
    }

    /// The lock has the number of a process as the broker sees it; in a container that is another's here.
    private static func isRoomline(_ id: Int32) -> Bool {
        if ListeningProcess.name(of: id) == ListeningProcess.roomline { return true }
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/exe")
        return program.map { URL(filePath: $0).lastPathComponent == ListeningProcess.roomline } ?? false
    }
}
