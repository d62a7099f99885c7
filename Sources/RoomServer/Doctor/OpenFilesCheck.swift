import Foundation
import RoomCore
import RoomHost

/// Whether as many files may be open as there may be connections: each is one.
struct OpenFilesCheck {
    /// The open files that a busy broker should be allowed where its connections are not limited.
    private static let enough = 65_536
    private static let advice =
        "raise the hard limit: \"ulimit -Hn N\" in the shell that starts the broker, or LimitNOFILE=N in its systemd unit"

    let limits: ConnectionGate.Limits
    /// Event loops of the broker.
    let loops: Int
    /// The broker that runs: its limit is the one that counts. `nil`: that of this process, which a broker would have.
    let broker: Int32?

    func findings() -> [Finding] { [self.finding()] }

    private func finding() -> Finding {
        // a broker raises its soft limit to the hard one
        guard let limit = self.broker.flatMap(Self.limit(ofProcess:)) ?? ProcessSetup.openFileLimit().hard else {
            return Finding("open_files", .warning, "the system does not tell how many files may be open")
        }
        let shown = limit == .max ? "any number of" : "\(limit)"
        let text = "\(shown) files may be open"
        var limits = self.limits
        limits.leaveFiles(of: limit, loops: self.loops)
        let places = limits.places(for: .rooms)
        if self.limits.total != .max, places < self.limits.total {
            return Finding(
                "open_files",
                .problem,
                "\(text), too few for the \(self.limits.total) connections that the configuration allows",
                advice: Self.advice
            )
        }
        if self.limits.total == .max, limit < Self.enough {
            let isTooFew = limit < 1_024
            return Finding(
                "open_files",
                isTooFew ? .problem : .warning,
                "\(text), so that \(places) can be connected at most",
                advice: Self.advice
            )
        }
        return Finding("open_files", .ok, text)
    }

    /// `nil` where it cannot be read.
    private static func limit(ofProcess id: Int32) -> Int? {
        guard let text = KernelFile.text("/proc/\(id)/limits"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") })
        else { return nil }
        let soft = line.dropFirst("Max open files".count).split(separator: " ").first
        return soft == "unlimited" ? .max : soft.flatMap { Int($0) }
    }
}
