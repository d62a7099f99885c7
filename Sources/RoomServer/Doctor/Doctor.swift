import Foundation
import RoomStore

/// Looks at everything on this machine that a broker with this configuration depends on, while it runs or not.
///
/// It changes nothing that a broker uses. Its measurements on the disk are small, and smaller while a broker is at work
/// there.
package struct Doctor: Sendable {
    private let configuration: ServerConfiguration

    package init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
    }

    /// The broker that runs on the data directory.
    package var broker: BrokerPresence { self.directory.map(BrokerPresence.of) ?? .none }

    private var directory: String? {
        guard case .directory(let path) = self.configuration.storage else { return nil }
        return path
    }

    /// All checks but those that ask the broker. Blocks for seconds.
    ///
    /// - Parameter begins: is told what is looked at next, where that may take long.
    package func findings(_ begins: (String) -> Void = { _ in }) -> [Finding] {
        let broker = self.broker
        let loops = self.configuration.process.loopCount
        let files = OpenFilesCheck(limits: self.configuration.connections, loops: loops, broker: broker.process)
        var findings = files.findings()
        findings += MemoryCheck(limits: self.configuration.limits, loops: loops).findings()
        if let directory {
            let place = DoctoredDirectory(path: directory, isInUse: broker.runs)
            findings += PermissionCheck(directory: place, configuration: self.configuration, broker: broker.process)
                .findings()
            findings += SpaceCheck(directory: place).findings() + ReserveCheck(directory: place).findings()
            begins("measuring the disk")
            findings += DiskCheck(directory: place).findings()
            begins("reading the databases")
            findings += DatabaseCheck(directory: place).findings()
            findings += ClockCheck(directory: place, now: WallClock.milliseconds()).findings()
        } else {
            findings.append(
                Finding("data", .warning, "nothing is kept (--data :memory:)", advice: "name a directory with --data")
            )
            findings += ClockCheck(directory: nil, now: WallClock.milliseconds()).findings()
        }
        if let files = self.configuration.listen.tls {
            findings += CertificateCheck(files: files, now: WallClock.milliseconds() / 1_000).findings()
        }
        return findings + PortCheck(configuration: self.configuration, broker: broker).findings()
    }
}

/// The result of one check of the doctor.
package struct Finding: Equatable, Sendable {
    package enum Status: String, Comparable, Sendable {
        case ok
        /// It works, but not as it could, or not for ever.
        case warning
        /// Something does not work, or is not safe.
        case problem

        package static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .problem: 2
            }
        }
    }

    /// The stable word for what was looked at, as `open_files`.
    package let check: String
    package let status: Status
    package let text: String
    /// The remedy; `nil` where nothing is to be done.
    package let advice: String?

    package init(_ check: String, _ status: Status, _ text: String, advice: String? = nil) {
        self.check = check
        self.status = status
        self.text = text
        self.advice = advice
    }
}

/// The data directory as the doctor sees it, which need not be there.
struct DoctoredDirectory: Sendable {
    let path: String
    /// Whether a broker runs on it.
    let isInUse: Bool

    var exists: Bool { self.status() != nil }

    /// Whether this user may not look into it, or not even see whether it is there.
    var isHidden: Bool { access(self.path, R_OK | X_OK) != 0 && errno == EACCES }

    /// The directory itself, or the nearest above it that there is: where it would be made.
    var nearest: String {
        var path = URL(filePath: self.path)
        while !FileManager.default.fileExists(atPath: path.path), path.path != "/" { path.deleteLastPathComponent() }
        return path.path
    }

    func file(_ name: String) -> String { "\(self.path)/\(name)" }

    /// The status of a file in it, or of itself; `nil` where there is none.
    func status(_ name: String? = nil) -> FileStatus? { FileStatus(name.map(self.file) ?? self.path) }

    /// The names in it; none where it cannot be read.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted() }
}
