import Logging
import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// Tells the log why the broker ended a connection, at the level `info` though not each of a flood, and of the life of each
/// connection, at the level `debug`.
struct ConnectionLog: ConnectionObserver {
    private let logger: Logger
    private let ends: ReportLimit

    /// - Parameter now: a monotonic time in nanoseconds.
    init(_ logger: Logger, now: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }) {
        self.logger = logger
        self.ends = ReportLimit(now: now)
    }

    /// Asked each time: the level can change while the broker runs.
    private var tellsAll: Bool { self.logger.logLevel <= .debug }

    func opened(_ connection: ConnectionRef, from address: IPAddress?) {
        guard self.tellsAll else { return }
        self.log("connection opened", connection, ["peer.address": "\(address.map { "\($0)" } ?? "unknown")"])
    }

    func welcomed(_ connection: ConnectionRef, as client: ClientID, in channel: ChannelID) {
        guard self.tellsAll else { return }
        self.log("handshake accepted", connection, ["client.id": "\(client.text)", "channel": "\(channel.text)"])
    }

    func ended(_ connection: ConnectionRef, by reason: EndReason, _ text: String, as party: ConnectionParty) {
        guard !reason.isOfClient else {
            if self.tellsAll { self.log("the client ended a connection", connection, ["reason": "\(reason.word)"]) }
            return
        }
        guard self.logger.logLevel <= .info, let unreported = self.takeReport() else { return }
        var metadata: Logger.Metadata = [
            "code": "\(reason.word)", "reason": "\(text)",
            "peer.address": "\(party.address.map { "\($0)" } ?? "unknown")",
        ]
        if let client = party.client { metadata["client.id"] = "\(client.text)" }
        if let channel = party.channel { metadata["channel"] = "\(channel.text)" }
        if unreported > 0 { metadata["unreported"] = "\(unreported)" }
        self.log("ended a connection", connection, metadata, at: .info)
    }

    func closed(_ connection: ConnectionRef) {
        if self.tellsAll { self.log("connection closed", connection, [:]) }
    }

    /// - Returns: how many were not reported before this one; `nil`: nor is this one.
    private func takeReport() -> Int? { self.tellsAll ? 0 : self.ends.take() }

    private func log(
        _ message: Logger.Message,
        _ connection: ConnectionRef,
        _ metadata: Logger.Metadata,
        at level: Logger.Level = .debug
    ) {
        var metadata = metadata
        metadata["connection"] = "\(connection.shard)-\(connection.number)"
        self.logger.log(level: level, message, metadata: metadata)
    }
}
