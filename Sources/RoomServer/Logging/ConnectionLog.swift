import Logging
import RoomCore
import RoomDelivery
import RoomModel

/// Tells the log of the life of each connection, at the level `debug`.
struct ConnectionLog: ConnectionObserver {
    let logger: Logger

    func opened(_ connection: ConnectionRef, from address: IPAddress?) {
        self.log("connection opened", connection, ["peer.address": "\(address.map { "\($0)" } ?? "unknown")"])
    }

    func welcomed(_ connection: ConnectionRef, as client: ClientID, in channel: ChannelID) {
        self.log("handshake accepted", connection, ["client.id": "\(client.text)", "channel": "\(channel.text)"])
    }

    func saidGoodbye(_ connection: ConnectionRef, _ code: Code, reason: String) {
        self.log("said goodbye", connection, ["code": "\(code.rawValue)", "reason": "\(reason)"])
    }

    func closed(_ connection: ConnectionRef) {
        self.log("connection closed", connection, [:])
    }

    /// Costs nothing where nobody would see it.
    private func log(
        _ message: Logger.Message,
        _ connection: ConnectionRef,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard self.logger.logLevel <= .debug else { return }
        var metadata = metadata()
        metadata["connection"] = "\(connection.shard)-\(connection.number)"
        self.logger.debug(message, metadata: metadata)
    }
}
