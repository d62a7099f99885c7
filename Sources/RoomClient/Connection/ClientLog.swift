import Logging
import RoomModel

/// The log of a client: the life of its connection and of its rooms, at the level `debug`, since every error is also thrown. No message, member data or token gets into it.
struct ClientLog: Sendable {
    private let logger: Logger

    /// - Parameter logger: `nil`: nothing is logged.
    init(_ logger: Logger?) {
        self.logger = logger ?? Logger(label: "RoomClient") { _ in SwiftLogNoOpLogHandler() }
    }

    func connecting(to address: BrokerAddress) {
        self.logger.debug("Connecting", metadata: ["host": "\(address.host)", "port": "\(address.port)"])
    }

    func connected(as clientID: String) {
        self.logger.debug("Connected", metadata: ["client_id": "\(clientID)"])
    }

    /// - Parameter pause: the time until the next attempt; `nil` if there will be none.
    func disconnected(_ error: RoomClientError, retryIn pause: Duration?) {
        var metadata = Self.metadata(error)
        if let pause { metadata["retry_in"] = "\(pause)" }
        self.logger.debug("Not connected", metadata: metadata)
    }

    func closed(_ error: RoomClientError?) {
        self.logger.debug("Closed", metadata: error.map { Self.metadata($0) })
    }

    func joined(_ room: RoomName) {
        self.logger.debug("Joined a room", metadata: ["room": "\(room.text)"])
    }

    func left(_ room: RoomName, _ error: RoomClientError?) {
        var metadata = error.map { Self.metadata($0) } ?? [:]
        metadata["room"] = "\(room.text)"
        self.logger.debug("Left a room", metadata: metadata)
    }

    private static func metadata(_ error: RoomClientError) -> Logger.Metadata {
        ["code": "\(error.code)", "error": "\(error.message)"]
    }
}
