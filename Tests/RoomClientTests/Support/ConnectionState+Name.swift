@testable import RoomClient

extension ConnectionState {
    /// The state in short: `waiting connection_lost`.
    var name: String {
        switch self {
        case .idle: "idle"
        case .connecting: "connecting"
        case .connected(let clientID): "connected \(clientID)"
        case .waiting(_, let error): "waiting \(error.code)"
        case .closed(.none): "closed"
        case .closed(.some(let error)): "closed \(error.code)"
        }
    }
}
