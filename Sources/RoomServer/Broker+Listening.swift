import Foundation
import Logging
import NIOConcurrencyHelpers
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

    /// Says where it listens and what its channels keep: in the log or, at a terminal, in a banner.
    func tellStart(at address: ListenAddress, _ http: HTTPSide, _ storage: BrokerStorage, loops: Int) {
        let listen = self.configuration.listen
        let channels = storage.channels.map(\.settings)
        let report = StartReport(
            url: "\(listen.tls == nil ? "tcp" : "tls")://\(address)",
            pages: self.pagesURL.withLockedValue(\.self),
            adminSocket: http.unixPath,
            storage: self.configuration.storage,
            channels: channels.map { ($0.id.text, $0.historyText) }
        )
        if let banner = self.process.banner { self.process.log.write(banner(report)) }
        let level: Logger.Level = self.process.banner == nil ? .info : .debug
        let metadata: Logger.Metadata = [
            "tcp.address": "\(address)", "tls": "\(listen.tls != nil)", "loops": "\(loops)",
            "data": "\(self.configuration.storage.path)",
        ]
        self.logger.log(level: level, "listening", metadata: metadata.merging(http.places) { first, _ in first })
        if let pages = report.pages {
            var metadata: Logger.Metadata = ["console": "\(pages)/console"]
            if let chat = report.chat { metadata["chat"] = "\(chat)" }
            self.logger.log(level: level, "serving pages", metadata: metadata)
        }
        for channel in channels where storage.settingsBefore[channel.id] == nil {
            let metadata: Logger.Metadata = ["channel": "\(channel.id)", "history": "\(channel.historyText)"]
            self.logger.log(level: level, "made a channel", metadata: metadata)
        }
        self.logger.tell(ofSilent: channels.filter { !$0.keepsHistory })
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
