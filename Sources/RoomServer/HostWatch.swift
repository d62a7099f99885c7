import Logging
import RoomCluster
import RoomMetrics
import RoomStore
import ServiceLifecycle

/// What the broker depends on and cannot mend itself: the certificate, the room on the disk, and the cluster.
struct BrokerHost: Sendable {
    /// The data directory; `nil`: nothing is kept.
    let directory: String?
    /// `nil`: TLS is off.
    let tls: TLSCertificate?
    /// `nil`: it runs alone.
    let cluster: ClusterNode?

    init(_ storage: StorageLocation, tls: TLSCertificate?, cluster: ClusterNode?) {
        self.tls = tls
        self.cluster = cluster
        guard case .directory(let path) = storage else {
            self.directory = nil
            return
        }
        self.directory = path
    }

    var figures: HostFigures {
        var figures = HostFigures(certificateExpiry: self.tls?.term.end)
        // Where the system does not tell, nobody is told.
        figures.diskFreeBytes = self.directory.flatMap { try? DiskSpace.free(at: $0) }
        figures.diskBytes = self.directory.flatMap { try? DiskSpace.size(at: $0) }
        return figures
    }

    /// A word for each of them that somebody should look at, as `/health` and the statistics have it.
    ///
    /// - Parameter now: Unix seconds.
    func warnings(now: Int64) -> [String] {
        var warnings: [String] = []
        switch self.tls?.term.state(at: now) {
        case .ended: warnings.append("certificate_expired")
        case .endsSoon: warnings.append("certificate_expires_soon")
        case .notYet: warnings.append("certificate_not_yet_valid")
        case .good, nil: break
        }
        if let free = self.figures.diskFreeBytes, FreeSpace(free) != .enough { warnings.append("disk_space") }
        if let cluster, !cluster.summary.areAllReady { warnings.append("cluster_partitions") }
        return warnings
    }
}

/// How much room there is on a disk, for people.
enum FreeSpace: Equatable, Sendable {
    case enough
    case little
    case almostNone

    init(_ bytes: Int64) {
        self = bytes < 100 << 20 ? .almostNone : bytes < 1 << 30 ? .little : .enough
    }
}

/// Has the log say once a day, and when it becomes less, that little room is left on the disk.
struct SpaceWatch: Service {
    let host: BrokerHost
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var warning = SpaceWarning()
            repeat {
                let figures = self.host.figures
                if let free = figures.diskFreeBytes,
                    warning.isDue(FreeSpace(free), now: WallClock.milliseconds() / 1_000)
                {
                    self.logger.warning(
                        "little room is left on the disk",
                        metadata: [
                            "code": "disk_space", "free.bytes": "\(free)", "data": "\(self.host.directory ?? "")",
                        ]
                    )
                }
            } while (try? await Task.sleep(for: .seconds(60))) != nil  // throws when cancelled
        }
    }
}

struct SpaceWarning {
    private var news = DailyNews<FreeSpace>()

    /// - Parameter now: Unix seconds.
    mutating func isDue(_ space: FreeSpace, now: Int64) -> Bool { self.news.isNew(space, now: now) && space != .enough }
}
