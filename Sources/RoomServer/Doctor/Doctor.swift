import Foundation
import RoomStore

/// Looks at everything on this machine that a broker with this configuration depends on, while it runs or not.
///
/// It changes nothing that a broker uses. What it measures on the disk is little, and less while a broker is at work there.
package struct Doctor: Sendable {
    private let configuration: ServerConfiguration

    package init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
    }

    /// Who runs on the data directory.
    package var broker: BrokerPresence { self.directory.map(BrokerPresence.of) ?? .none }

    private var directory: String? {
        guard case .directory(let path) = self.configuration.storage else { return nil }
        return path
    }

    /// All checks but those that ask the broker. Blocks for seconds.
    package func findings() -> [Finding] {
        let broker = self.broker
        var findings = OpenFilesCheck(limits: self.configuration.connections, broker: broker.process).findings()
        if let directory {
            let place = DoctoredDirectory(directory, isInUse: broker.runs)
            findings += PermissionCheck(place, self.configuration, broker: broker.process).findings()
            findings += SpaceCheck(place).findings()
            findings += DiskCheck(place).findings()
            findings += DatabaseCheck(place).findings()
            findings += ClockCheck(place, now: WallClock.milliseconds()).findings()
        } else {
            findings.append(
                Finding("data", .warning, "nothing is kept (--data :memory:)", advice: "name a directory with --data")
            )
            findings += ClockCheck(nil, now: WallClock.milliseconds()).findings()
        }
        return findings + PortCheck(self.configuration, broker: broker).findings()
    }
}
