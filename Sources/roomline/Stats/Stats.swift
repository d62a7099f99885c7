import ArgumentParser
import Foundation
import RoomAdmin

/// `roomline stats`
struct Stats: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show statistics: connections, rooms, members and messages.",
        discussion: AdminHelp.text(
            """
            Only rooms that have members are counted; a client counts as a member in each of its rooms. Slow consumers read more \
            slowly than messages arrive; LAG is the number of messages that they have not received yet. MESSAGES and STORED are \
            what the history of a channel has, up to a minute ago; ~ is before an estimate. In a cluster the figures are those of all \
            nodes; uptime, memory, disk and commit times are those of the node that is asked.
            """,
            ("stats", "Connections, rooms and messages, and what is stored, in all and by channel."),
            ("stats --watch", "A live view with rates, until q or Ctrl-C; c, r, m, b and n sort the channels."),
            ("stats --watch --interval 10s --json >> stats.jsonl", "One JSON line every ten seconds."),
            ("stats --json | jq .connections", "One figure, for a script."),
            ("stats --json | jq '.channels[] | {id, bytes: .stored.bytes}'", "What each channel takes on the disk.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    @Flag(help: "Update the view, with rates, until q or Ctrl-C; with --json, write a line each time.")
    var watch = false

    @Option(help: ArgumentHelp("The interval of --watch.", valueName: "DURATION"))
    var interval = DurationArgument(milliseconds: 1_000)

    func validate() throws {
        guard self.interval.milliseconds >= 100 else { throw ValidationError("--interval has to be 100ms or more.") }
        guard !self.watch || self.admin.json || StandardOutput.output.isTerminal else {
            throw ValidationError("--watch needs a terminal, or --json.")
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        guard self.watch else { return try output.write(statistics: try await client.answer(to: .statistics)) }
        guard output.isJSON else { return try await self.showLive(client, output.timeZone) }
        let signals = ProcessSignals(SIGINT, SIGTERM)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.writeLines(client, output) }
            group.addTask { for await _ in signals.stream { return } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func writeLines(_ client: AdminSession, _ output: AdminOutput) async throws {
        while true {
            try output.write(try await client.answer(to: .statistics).response.body)
            try await Task.sleep(for: .milliseconds(self.interval.milliseconds))
        }
    }

    private func showLive(_ client: AdminSession, _ timeZone: TimeZone) async throws {
        let screen = StatisticsScreen(output: .output)
        let watch = StatisticsWatch(
            client: client,
            every: .milliseconds(self.interval.milliseconds),
            timeZone: timeZone
        ) { try screen.show($0) }
        // Before the screen is another one: what refuses the first request is told on the shell's.
        try await watch.begin()
        let signals = ProcessSignals(SIGINT, SIGTERM, SIGHUP, SIGWINCH)
        guard try screen.open() else {
            throw CommandFailure(code: .usage, text: "--watch reads keys, and standard input is not a terminal")
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await watch.run(signals: signals))
        } catch {
            result = .failure(error)
        }
        // Where nobody reads any more, there is no screen to give back.
        try? screen.close()
        try result.get()
    }
}

extension AdminOutput {
    /// Statistics once, in either form.
    fileprivate func write(statistics answer: AdminAnswer<AdminStatistics>) throws {
        guard !self.isJSON else { return try self.write(answer.response.body) }
        let statistics = try answer.value()
        try self.write(StatisticsTables.sheet(statistics, in: self.timeZone))
        try self.write(plain: "")
        try self.write(StatisticsTables.channels(statistics))
        if let nodes = statistics.nodes, !nodes.isEmpty {
            try self.write(plain: "")
            try self.write(StatisticsTables.nodes(nodes))
        }
        if !statistics.slowest.isEmpty {
            try self.write(plain: "")
            try self.write(StatisticsTables.slowest(statistics))
        }
        if let busiest = statistics.busiest, !busiest.isEmpty {
            try self.write(plain: "")
            try self.write(StatisticsTables.busiest(busiest))
        }
        if let addresses = statistics.busiestAddresses, !addresses.isEmpty {
            try self.write(plain: "")
            try self.write(StatisticsTables.busiest(addresses))
        }
        if let rooms = statistics.busiestRooms, !rooms.isEmpty {
            try self.write(plain: "")
            try self.write(StatisticsTables.busiest(rooms))
        }
    }
}
