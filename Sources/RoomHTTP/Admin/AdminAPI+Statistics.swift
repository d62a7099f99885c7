import NIOHTTP1
import RoomCore
import RoomDelivery
import RoomJSON
import RoomMetrics
import RoomModel

extension AdminAPI {
    func addStatistics(to routes: inout HTTPRoutes) {
        self.on(.GET, "statistics", in: &routes, scope: .read, self.showStatistics)
    }

    @Sendable private func showStatistics(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let statistics = await self.rooms.statistics()
        let (all, nodes) = await self.allStatistics()
        let stored = await self.usage()
        let channels = statistics.channels.sorted { $0.id.text < $1.id.text }.map { channel in
            JSONTree.object([
                .init("id", .string(channel.id.text)),
                .init("connections", .integer(all.connections[channel.id.text, default: 0])),
                .init("rooms", .integer(channel.rooms)),
                .init(
                    "stored",
                    .optional(stored) { .object($0.channels[channel.id, default: StoredUsage.Channel()].fields) }
                ),
            ])
        }
        return .document(
            .object(
                [
                    .init("time", .time(milliseconds: self.clock())),
                    all.sum("connections"),
                    .init("rooms", .integer(statistics.rooms)),
                    .init("members", .integer(statistics.members)),
                    all.sum("slow"), all.list(.slowest), all.sum("busy"), all.list(.busiest), all.list(.addresses),
                    all.list(.rooms),
                    all.sum("publishes"), all.sum("deliveries"), all.sum("published_bytes"),
                    all.sum("delivered_bytes"), all.sum("errors"),
                    .init("stored", .optional(stored, Self.tree)),
                    .init("channels", .array(channels)),
                ] + (await self.processFields()) + self.hostFields()
                    + (nodes.isEmpty ? [] : [.init("nodes", .array(nodes))])
            )
        )
    }

    /// `nil` where nothing is stored, or cannot be read now: the other figures are shown all the same.
    private func usage() async -> StoredUsage? {
        do throws(EngineError) {
            return try await self.storedUsage?.storedUsage()
        } catch {
            return nil
        }
    }

    func processFields() async -> [JSONTree.Field] {
        let process = self.process()
        let newest = await self.figures?.newest
        return [
            .init("version", .string(self.version)),
            .init("uptime_seconds", .number("\(process.uptimeSeconds)")),
            .init("cpu_seconds", .number("\(process.processorSeconds)")),
            .init("resident_bytes", .optional(process.residentBytes) { .integer($0) }),
            .init("commit_p50_seconds", .optional(newest?.commitMedian) { .number("\($0)") }),
            .init("commit_p99_seconds", .optional(newest?.commit99th) { .number("\($0)") }),
        ]
    }

    private func hostFields() -> [JSONTree.Field] {
        let host = self.host()
        return [
            .init(
                "certificate_expires",
                .optional(host.certificateExpiry) { .time(milliseconds: $0 * 1_000) }
            ),
            .init("disk_free_bytes", .optional(host.diskFreeBytes) { .integer($0) }),
            .init("disk_bytes", .optional(host.diskBytes) { .integer($0) }),
            .init("warnings", .array(self.warnings().map { .string($0) })),
        ]
    }

    private static func tree(_ usage: StoredUsage) -> JSONTree {
        .object(
            [.init("time", .time(milliseconds: usage.time))] + usage.total.fields + [
                .init("file_bytes", .optional(usage.fileBytes) { .integer($0) })
            ]
        )
    }
}

extension StoredUsage.Channel {
    fileprivate var fields: [JSONTree.Field] {
        [
            .init("rooms", .integer(self.rooms)), .init("messages", .integer(self.messages)),
            .init("bytes", .integer(self.bytes)), .init("bytes_are_estimated", .bool(self.isEstimate)),
        ]
    }
}
