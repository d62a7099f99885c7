import Foundation
import RoomAdmin
import RoomModel
import RoomServer

/// Asks the broker of the data directory whether it is there.
struct BrokerQuestion {
    let settings: ServerConfiguration

    func findings() async -> [Finding] {
        var statistics: AdminStatistics?
        let finding = await self.finding(&statistics)
        return [finding] + (statistics.map(self.warnings) ?? []) + (await self.cluster(isAnswering: statistics != nil))
    }

    /// What the node that runs says of its cluster.
    private func cluster(isAnswering: Bool) async -> [Finding] {
        guard isAnswering, self.settings.isNode,
            let path = self.settings.listen.adminSocket.path(with: self.settings.storage)
        else { return [] }
        do throws(CommandFailure) {
            let cluster = try await Self.ask(.cluster, at: path)
            let problems = cluster.problems.map {
                Finding("cluster", .problem, $0, advice: "\"roomline cluster status\" shows all nodes and servers")
            }
            let nodes = Counted.text(cluster.nodes.count, "node")
            return problems.isEmpty
                ? [Finding("cluster", .ok, "\(nodes) and all servers of the cluster \(cluster.name) are ready")]
                : problems
        } catch {
            return [
                Finding(
                    "cluster",
                    .problem,
                    "the broker tells nothing of its cluster: \(error.text)",
                    advice: "if it was started without --cluster, stop it and start it with the options of the doctor"
                )
            ]
        }
    }

    /// What is on the disk may be better or worse than what it runs with.
    private func warnings(_ statistics: AdminStatistics) -> [Finding] {
        statistics.alarms.compactMap { warning in
            let kind =
                switch warning.word {
                case "configuration_reload_failed": "configuration"
                case "tls_reload_failed": "certificate"
                case "history_incomplete": "history"
                case "clock_not_followed", "ids_ahead": "clock"
                case let word where word.hasPrefix("certificate_"): "certificate"
                default: nil as String?
                }
            guard let kind else { return nil }
            return Finding(
                kind,
                warning.style == .bad ? .problem : .warning,
                "the broker that runs says: \(warning.text(of: statistics, in: .current))",
                advice: Self.advice(kind)
            )
        }
    }

    private static func advice(_ kind: String) -> String {
        switch kind {
        case "configuration": "mend the file and reload; if it is mended already, only reload"
        case "history": "look for the cause (disk, a copy without its -wal): a backup may still have them"
        default: "if its file is a newer one, it cannot be used together with its key: the log has tls_reload_failed"
        }
    }

    private func finding(_ statistics: inout AdminStatistics?) async -> Finding {
        let presence = Doctor(self.settings).broker
        guard presence != .notKnown else {
            return Finding(
                "broker",
                .warning,
                "the state of the broker is not known: you may not read the lock of the data directory",
                advice: "run the doctor as the user that the broker runs as, or as root"
            )
        }
        guard let path = self.settings.listen.adminSocket.path(with: self.settings.storage) else {
            let runs = presence.runs ? "a broker runs" : "no broker runs"
            return Finding("broker", .ok, "\(runs); its admin socket is off, so it cannot be asked")
        }
        guard presence.runs else { return Finding("broker", .ok, "no broker runs on the data directory") }
        let process = presence.process.map { " (process \($0))" } ?? ""
        do throws(CommandFailure) {
            statistics = try await Self.ask(.statistics, at: path)
            return Finding("broker", .ok, "the broker\(process) answers on \(path)")
        } catch {
            return Finding(
                "broker",
                .problem,
                "a broker runs\(process), but does not answer: \(error.text)",
                advice: "was it started with another --admin-socket? Else look at its log, and at what it waits for"
            )
        }
    }

    private static func ask<Answer: AdminDocument>(
        _ call: AdminCall<Answer>,
        at path: String
    ) async throws(CommandFailure) -> Answer {
        do {
            return try await AdminSession.with(.socket(path), token: nil, trust: nil) { client in
                try await client.answer(to: call).value()
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(code: .unavailable, text: "\(error)")
        }
    }
}
