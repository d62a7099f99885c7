import Foundation
import Logging
import NIOCore
import NIOPosix
import RoomCore
import RoomDelivery
import RoomMetrics
import RoomModel
import RoomTransport

/// What the broker listens with, and what it says of those who connect.
extension Broker {
    /// The limits of connections, by the files that the process may open.
    func connectionLimits(loops: Int) -> ConnectionGate.Limits {
        var limits = self.configuration.connections
        if let files = ProcessSetup.openFileLimit().soft { limits.leaveFiles(of: files, loops: loops) }
        return limits
    }

    func acceptLimit() -> AcceptLimit {
        AcceptLimit { [logger] event in
            switch event {
            case .paused(let reason):
                logger.warning("connections wait: no file is left for them", metadata: ["reason": "\(reason)"])
            case .resumed: logger.warning("connections are accepted again")
            }
        }
    }

    func loopWatch(_ shards: [ShardRef]) -> LoopWatch {
        LoopWatch(
            probe: LoopProbe(loops: shards.map(\.eventLoop), factory: self.metrics),
            shards: shards,
            reports: BusyReports { [logger] in logger.warn(of: $0) }
        )
    }

    func listen(_ listener: TCPListener, on group: MultiThreadedEventLoopGroup) async throws -> any Channel {
        let address = self.configuration.listen.tcp
        do {
            return try await listener.listen(host: address.host, port: address.port, group: group)
        } catch {
            let other = "another address with --tcp HOST:PORT"
            throw StartError(listeningOn: "\(address)", port: address.port, error, other: other)
        }
    }

    func proxyRefusals() -> ProxyRefusals {
        ProxyRefusals { [logger] report in
            logger.warning(
                "connection closed: no valid PROXY header",
                metadata: [
                    "peer.address": "\(report.peer.map { "\($0)" } ?? "unknown")", "reason": "\(report.reason)",
                    "unreported": "\(report.unreported)",
                ]
            )
        }
    }

    func connectionSettings(_ channels: ChannelTable) throws -> ConnectionSettings {
        let times = self.configuration.timeouts
        let text = self.configuration.text
        let textRoom = text.room.map {
            let time = text.listeningAfter.map(TimeAmount.init)
            return ConnectionSettings.TextRoom(room: $0, channel: text.channel, listeningAfter: time)
        }
        if textRoom != nil, channels[text.channel] == nil {
            self.logger.notice(
                "plain text is off until its channel exists",
                metadata: ["channel": "\(text.channel)"]
            )
        }
        return ConnectionSettings(
            frames: self.configuration.limits.frame,
            handshakeTime: TimeAmount(times.handshake),
            silentTime: TimeAmount(textRoom == nil ? times.handshake : times.textHandshake),
            textRoom: textRoom,
            badFrameRate: self.configuration.limits.badFrameRate
        )
    }
}
