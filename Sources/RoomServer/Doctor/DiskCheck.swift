import Foundation
import RoomModel
import RoomStore

/// How long the disk under the data directory takes to keep something for good, and what kind of disk it is.
struct DiskCheck {
    /// With `durability: power` no message is acknowledged sooner than this, in milliseconds.
    private static let slow = 20.0
    private static let tooSlow = 200.0

    let directory: DoctoredDirectory

    func findings() -> [Finding] {
        guard self.directory.exists else {
            return [Finding("disk", .ok, "not measured: \(self.directory.path) is not there yet")]
        }
        var findings = [self.kind()].compactMap(\.self)
        do {
            findings.append(self.finding(try DiskProbe(self.directory.path, isGentle: self.directory.isInUse).run()))
        } catch {
            findings.append(
                Finding(
                    "disk",
                    .problem,
                    "nothing can be written in \(self.directory.path): \(error)",
                    advice: "check its owner, its permissions, and whether the disk is full or read-only"
                )
            )
        }
        return findings
    }

    private func finding(_ figures: DiskProbe.Figures) -> Finding {
        let median = Self.text(figures.medianSync)
        let rate = figures.bytesPerSecond.map { ", \(Int($0 / 1_048_576)) MiB/s written" } ?? ""
        let text = """
            a sync takes \(median), the slowest of \(figures.syncs) \(Self.text(figures.slowestSync))\(rate): with durability \
            power a message waits that long, and there are some \(Int(1_000 / max(figures.medianSync, 0.001))) commits a second
            """
        let advice = "use durability process where a power cut may cost the last moments, or a faster disk"
        if figures.medianSync > Self.tooSlow { return Finding("disk", .problem, text, advice: advice) }
        if figures.medianSync > Self.slow { return Finding("disk", .warning, text, advice: advice) }
        return Finding("disk", .ok, text)
    }

    private func kind() -> Finding? {
        switch FileSystemKind.of(self.directory.path) {
        case .memory:
            Finding(
                "disk",
                .warning,
                "\(self.directory.path) is in memory (tmpfs): nothing of it outlives the machine",
                advice: "name a directory on a disk with --data"
            )
        case .network:
            Finding(
                "disk",
                .problem,
                "\(self.directory.path) is on a network file system, where SQLite's locks and memory maps do not hold",
                advice: "name a directory on a local disk with --data"
            )
        case .layer:
            Finding(
                "disk",
                .warning,
                "\(self.directory.path) is in the container's own layer: it goes with the container",
                advice: "mount a volume and name it with --data"
            )
        case .disk: nil
        }
    }

    private static func text(_ milliseconds: Double) -> String {
        milliseconds < 1 ? "\(Int(milliseconds * 1_000)) µs" : "\((milliseconds * 10).rounded() / 10) ms"
    }
}

/// Whether there is room on the disk for what is going to be published.
struct SpaceCheck {
    let directory: DoctoredDirectory

    func findings() -> [Finding] {
        let place = self.directory.nearest
        guard let free = try? DiskSpace.free(at: place) else {
            return [Finding("space", .warning, "the system does not tell how much room there is at \(place)")]
        }
        let text = "\(ShownSize.text(free)) free at \(place)"
        let advice = """
            make room, or keep less history ("roomline history prune", "channel set --history"): without any, publishers are \
            told storage_unavailable
            """
        // Without a reserve they come too late here: both are noted on the disk first.
        let lateAdvice = """
            delete other files or enlarge the disk: without a reserve (see below), "history prune" and all changes may be refused. \
            Then keep less history ("roomline history prune", "channel set --history")
            """
        return switch FreeSpace(free) {
        case .almostNone: [Finding("space", .problem, "only \(text)", advice: lateAdvice)]
        case .little: [Finding("space", .warning, "only \(text)", advice: advice)]
        case .enough: [Finding("space", .ok, text)]
        }
    }
}
