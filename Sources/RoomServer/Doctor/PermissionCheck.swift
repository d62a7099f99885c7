import Foundation
import RoomHost
import RoomStore

/// Whether what a broker keeps is for its user alone, and for that user at all.
struct PermissionCheck {
    private static let others: UInt32 = 0o077
    private static let othersWrite: UInt32 = 0o022

    let directory: DoctoredDirectory
    let configuration: ServerConfiguration
    /// The broker that runs.
    let broker: Int32?

    func findings() -> [Finding] {
        guard let status = self.directory.status() else {
            return [self.directory.isHidden ? self.hidden() : self.missing()]
        }
        guard status.kind == .directory || status.kind == .link else {
            return [
                Finding(
                    "permissions",
                    .problem,
                    "\(self.directory.path) is not a directory",
                    advice: "name one with --data"
                )
            ]
        }
        var findings = [self.own(status)].compactMap(\.self)
        guard access(self.directory.path, R_OK | X_OK) == 0 else {
            return findings + [self.hidden()]
        }
        findings += self.files(owner: status.owner) + self.socket()
        if let key = self.configuration.listen.tlsKey { findings += self.key(key) }
        return findings.isEmpty
            ? [Finding("permissions", .ok, "\(self.directory.path) is for its owner alone")] : findings
    }

    private func hidden() -> Finding {
        Finding(
            "permissions",
            .warning,
            "you may not look into \(self.directory.path)",
            advice: "run the doctor as the user that the broker runs as, or as root"
        )
    }

    private func missing() -> Finding {
        let parent = self.directory.nearest
        guard access(parent, W_OK | X_OK) == 0 else {
            return Finding(
                "permissions",
                .problem,
                "\(self.directory.path) is not there, and you may not make it in \(parent)",
                advice: "make it for the user that the broker is to run as, or name another with --data"
            )
        }
        return Finding("permissions", .ok, "\(self.directory.path) is not there yet; the first start makes it")
    }

    private func own(_ status: FileStatus) -> Finding? {
        guard status.kind == .directory, status.permissions & Self.others != 0 else { return nil }
        let isWritable = status.permissions & Self.othersWrite != 0
        return Finding(
            "permissions",
            isWritable ? .problem : .warning,
            "others may \(isWritable ? "write in" : "look into") \(self.directory.path) (\(status.modeText))",
            advice: "chmod 700 \(self.directory.path)"
        )
    }

    /// - Parameter owner: of the directory.
    private func files(owner: UInt32) -> [Finding] {
        let user = self.broker.flatMap(Self.user(ofProcess:)) ?? owner
        return self.directory.names.flatMap { name -> [Finding] in
            guard let status = self.directory.status(name) else { return [] }
            var findings: [Finding] = []
            if status.permissions & Self.others != 0, status.kind != .link {
                let isDirectory = status.kind == .directory
                findings.append(
                    Finding(
                        "permissions",
                        .problem,
                        "others may use \(self.directory.file(name)) (\(status.modeText))",
                        advice: "chmod \(isDirectory ? "700" : "600") \(self.directory.file(name))"
                    )
                )
            }
            if status.owner != user {
                findings.append(
                    Finding(
                        "permissions",
                        .problem,
                        "\(self.directory.file(name)) is the user \(status.owner)'s, and the broker's is \(user)",
                        advice: "chown \(user) \(self.directory.file(name))"
                    )
                )
            }
            return findings
        }
    }

    /// The admin socket, where it is not among the files.
    private func socket() -> [Finding] {
        guard case .path(let path) = self.configuration.listen.adminSocket else { return [] }
        guard let status = FileStatus(path), status.permissions & Self.others != 0 else { return [] }
        return [
            Finding(
                "permissions",
                .problem,
                "others may use \(path) (\(status.modeText))",
                advice: status.kind == .socket
                    ? "chmod 600 \(path)" : "it is not a socket: remove it, or name another path with --admin-socket"
            )
        ]
    }

    private func key(_ path: String) -> [Finding] {
        // The target of a link has its own permissions.
        guard let status = FileStatus(URL(filePath: path).resolvingSymlinksInPath().path) else {
            return [Finding("permissions", .problem, "the TLS key \(path) is not there", advice: "see --tls-key")]
        }
        guard status.permissions & 0o007 != 0 else { return [] }
        return [
            Finding(
                "permissions",
                .problem,
                "everybody may read the TLS key \(path) (\(status.modeText))",
                advice: "chmod o-rwx \(path)"
            )
        ]
    }

    /// By which the files are made that it makes: the owner of `/proc/PID` is root where the program has capabilities.
    private static func user(ofProcess id: Int32) -> UInt32? {
        guard let text = KernelFile.text("/proc/\(id)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") })
        else { return nil }
        // real, effective, saved, of the file system
        let users = line.dropFirst("Uid:".count).split(whereSeparator: \.isWhitespace)
        return users.count == 4 ? UInt32(users[3]) : nil
    }
}
