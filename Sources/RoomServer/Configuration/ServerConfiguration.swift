package import Logging
import NIOCore
package import RoomCluster
package import RoomCore
package import RoomModel

/// Everything that the broker can be told at start, with the defaults.
///
/// A value is made once, by `ConfigurationLoader`, and never changes while the broker runs. `OptionTable` binds each
/// option's key to a field of it; the default stands at that field and nowhere else.
package struct ServerConfiguration: Equatable, Sendable {
    package var listen = ListenSettings()
    package var storage: StorageLocation
    /// The channels to make sure of at start.
    package var channels = [ChannelOverride.implied]
    /// A history without the file of the channels is no reason not to start.
    package var acceptsLostChannels = false
    /// How far the clocks of those who make tokens may be off.
    package var tokenSkew = Duration.seconds(30)
    package var cluster = ClusterSettings()
    /// The broker is a node of a cluster.
    package var isNode: Bool { self.cluster.servers != nil }
    package var text = TextRoomSettings()
    package var connections = ConnectionGate.Limits()
    package var limits = BrokerLimits()
    package var timeouts = Timeouts()
    package var process = ProcessSettings()
}

/// Where history and channels are kept.
package enum StorageLocation: Equatable, Sendable {
    /// Nothing outlives the process.
    case memory
    /// The path of a directory, made at start if it is missing.
    case directory(String)

    /// `roomline` in the user's data directory, by the rules of the XDG base directory specification.
    ///
    /// `nil` where neither variable leads to a directory, as in a bare container.
    package static func userDirectory(environment: [String: String]) -> StorageLocation? {
        // The specification has a relative path ignored.
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") {
            return .directory("\(base)/roomline".directoryPath)
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return .directory("\(home)/.local/share/roomline".directoryPath)
        }
        return nil
    }
}

/// Where plain-text clients talk (protocol §4).
package struct TextRoomSettings: Equatable, Sendable {
    package var channel = ChannelID.standard
    /// `nil`: plain text is off.
    package var room: RoomName? = RoomName("lobby")
    /// After so long a client that says nothing listens there; `nil`: never. Longer than it takes to send a lost packet again.
    package var listeningAfter: Duration? = .seconds(3)

    package init() {}
}

/// How long the broker waits, and for what.
package struct Timeouts: Equatable, Sendable {
    /// From the connect to the end of the handshake.
    package var handshake = Duration.seconds(10)
    /// The same for what may yet turn out to be a plain-text client: a person has to think of something to type.
    package var textHandshake = Duration.seconds(300)
    /// From the first byte of an HTTP request to the end of its header.
    package var httpHeader = Duration.seconds(10)
    /// Until an HTTP connection without a request is closed.
    package var httpIdle = Duration.seconds(60)
    /// From the first SIGTERM to the exit.
    package var drain = Duration.seconds(10)

    package init() {}
}

/// Settings of the process itself: threads and log.
package struct ProcessSettings: Equatable, Sendable {
    /// `nil`: one fewer than the cores: the kernel and the store need one too.
    package var loops: Int?
    var loopCount: Int { self.loops ?? max(1, System.coreCount - 1) }
    package var logLevel = Logger.Level.info
    package var logFormat = LogFormat.text

    package init() {}
}

/// How a log record looks on stderr.
package enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON object a line, for machines.
    case json
}
