import NIOHTTP1
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomMetrics
import RoomModel

/// The present work of the broker.
struct StatisticsRoutes: AdminRoutes {
    let nodes: AdminNodes
    let figures: FigureLog?
    let storedUsage: (any StoredUsageSource)?
    let host: @Sendable () -> HostFigures
    let warnings: @Sendable () -> [String]
    let clock: @Sendable () -> Int64

    func add(to router: inout AdminRouter) {
        router.on(.GET, "statistics", scope: .read, self.showStatistics)
    }

    @Sendable private func showStatistics(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let statistics = await self.nodes.rooms.statistics()
        let (all, nodes) = await self.nodes.allStatistics()
        let stored = await self.usage()
        var document = AdminStatistics(placeholder: ())
        document.time = AdminTime(milliseconds: self.clock())
        (document.rooms, document.members) = (statistics.rooms, statistics.members)
        document.add(all)
        document.stored = stored.map { AdminStatistics.Stored($0) }
        document.channels = statistics.channels.sorted { $0.id.text < $1.id.text }.map { channel in
            var shown = AdminStatistics.Channel(placeholder: ())
            (shown.id, shown.rooms) = (channel.id.text, channel.rooms)
            shown.connections = Int(clamping: all.channels[channel.id.text, default: 0])
            shown.stored = stored.map { .init($0.channels[channel.id, default: StoredUsage.Channel()]) }
            return shown
        }
        let newest = await self.figures?.newest
        (document.commitP50Seconds, document.commitP99Seconds) = (newest?.commitMedian, newest?.commit99th)
        self.addProcess(to: &document)
        document.nodes = nodes.isEmpty ? nil : nodes
        return .document(document)
    }

    /// `nil` where nothing is stored, or cannot be read now: the other figures are shown all the same.
    private func usage() async -> StoredUsage? {
        do throws(EngineError) {
            return try await self.storedUsage?.storedUsage()
        } catch {
            return nil
        }
    }

    private func addProcess(to document: inout AdminStatistics) {
        let (process, host) = (self.nodes.process(), self.host())
        (document.version, document.uptimeSeconds) = (self.nodes.version, process.uptimeSeconds)
        document.cpuSeconds = process.processorSeconds
        document.residentBytes = process.residentBytes.map { UInt64($0) }
        document.certificateExpires = host.certificateExpiry.map { AdminTime(milliseconds: $0 * 1_000).rawValue }
        document.diskFreeBytes = host.diskFreeBytes.map { UInt64($0) }
        document.diskBytes = host.diskBytes.map { UInt64($0) }
        document.warnings = self.warnings()
    }
}

extension AdminStatistics {
    /// Takes over what the nodes have together.
    fileprivate mutating func add(_ all: NodeStatistics) {
        (self.connections, self.errors) = (Int(clamping: all.connections), Int(clamping: all.errors))
        (self.slow, self.slowest) = (Int(clamping: all.slow), all.slowest)
        (self.busy, self.busiest) = (Int(clamping: all.busy), all.busiest)
        (self.busiestAddresses, self.busiestRooms) = (all.busiestAddresses, all.busiestRooms)
        (self.publishes, self.deliveries) = (Int(clamping: all.publishes), Int(clamping: all.deliveries))
        self.publishedBytes = Int(clamping: all.publishedBytes)
        self.deliveredBytes = Int(clamping: all.deliveredBytes)
    }
}

extension AdminStatistics.Stored {
    fileprivate init(_ usage: StoredUsage.Channel) {
        self.init(placeholder: ())
        (self.rooms, self.messages) = (usage.rooms, usage.messages)
        (self.bytes, self.bytesAreEstimated) = (usage.bytes, usage.isEstimate)
    }

    fileprivate init(_ usage: StoredUsage) {
        self.init(usage.total)
        self.time = AdminTime(milliseconds: usage.time)
        self.fileBytes = usage.fileBytes.map { UInt64($0) }
    }
}
