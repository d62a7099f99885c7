import RoomHost
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
        // the number as the broker sees it: in a container that is another process here
        case .process(let id): .runs(process: id.flatMap { HostProcess(id: $0).isRoomline ? $0 : nil })
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
}
