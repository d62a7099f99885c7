import ArgumentParser
import Foundation
import RoomBench
import RoomClient
import RoomHost
import RoomServer

/// `roomline bench`: measures a broker.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure a broker: deliveries, latencies, connections.",
        discussion: BenchHelp.text
    )

    @OptionGroup
    var load: BenchOptions

    @Flag(help: "Write the result as JSON instead of a table.")
    var json = false

    @Option(help: ArgumentHelp("Also write the result as JSON to this file.", valueName: "FILE"))
    var output: String?

    @Option(
        help: ArgumentHelp("Compare with an earlier result, which --output or --json wrote.", valueName: "FILE")
    )
    var compare: String?

    @Option(
        help: ArgumentHelp(
            "The broker's process, for its processor time and memory. (default: the one that listens there, if it runs on this machine as the same user)",
            valueName: "PID"
        )
    )
    var pid: Int32?

    @OptionGroup
    var client: ClientOptions

    func validate() throws {
        guard !self.json || self.compare == nil else {
            throw ValidationError("--json and --compare exclude each other; --output writes JSON beside the tables.")
        }
    }

    func run() async throws {
        try await CommandFailure.reporting { try await self.measure() }
    }

    private func measure() async throws {
        let options = try self.client.resolved()
        let url = try self.url(options)
        let target = try self.target(options, at: url)
        let earlier = try self.compare.map { try BenchFile.read($0) }
        let plans = try self.load.plans()
        for plan in plans { try earlier?.check(plan, over: target.transport) }
        let file = try self.output.map { try BenchFile(writingTo: $0) }
        // Each connection is an open file.
        _ = ProcessSetup.raiseOpenFileLimit()
        let generator = try await self.generator(for: target, at: url)
        let session = BenchSession(generator, BenchProgressLine(output: .errors))
        let start = Date()
        let outcome = await session.measure(plans, until: ProcessSignals(SIGINT, SIGTERM))
        await generator.shutDown()
        let report = BenchReport(
            date: start.ISO8601Format(),
            version: BrokerVersion.text,
            brokerVersion: generator.process?.runsThisProgram == true ? BrokerVersion.text : nil,
            server: url,
            transport: target.transport,
            channel: options.channel,
            workloads: outcome.results
        )
        if report.workloads.isEmpty, outcome.code == nil { CommandFailure.say("nothing was measured yet") }
        try self.write(report, generator.process, to: file, beside: earlier)
        if let code = outcome.code { throw ExitCode(code.rawValue) }
    }

    /// A measurement is of one process.
    private func url(_ options: ClientOptions) throws(CommandFailure) -> String {
        let urls = try options.urls()
        guard urls.others.isEmpty else {
            throw CommandFailure(code: .usage, text: "bench measures one broker: give one URL, and not \(urls)")
        }
        return urls.first
    }

    private func target(_ options: ClientOptions, at url: String) throws(CommandFailure) -> BenchTarget {
        let token = try options.token()
        do throws(RoomClientError) {
            return try BenchTarget(
                url: url,
                channel: options.channel,
                token: token,
                trustedCertificates: options.trust
            )
        } catch {
            throw CommandFailure(code: .usage, text: error.message)
        }
    }

    private func generator(for target: BenchTarget, at url: String) async throws(CommandFailure) -> LoadGenerator {
        let process = self.pid.map { HostProcess(id: $0) }.flatMap { $0.isMeasurable ? $0 : nil }
        if let pid = self.pid, process == nil {
            throw CommandFailure(code: .usage, text: "--pid \(pid): there is no process of that number to be measured")
        }
        do throws(BenchFailure) {
            return try await LoadGenerator(target, process: process)
        } catch {
            guard error.kind == .unavailable else { throw CommandFailure(code: .refused, text: error.text) }
            let hint = "(\"roomline serve\" starts a broker, --server URL says where one is)"
            throw CommandFailure(code: .unavailable, text: "\(url): \(error.text) \(hint)")
        }
    }

    private func write(
        _ report: BenchReport,
        _ process: HostProcess?,
        to file: BenchFile?,
        beside earlier: EarlierReport?
    ) throws {
        guard !report.workloads.isEmpty else { return }
        try file?.write(report)
        let output = AdminOutput(isJSON: self.json)
        guard !self.json else { return try output.write(plain: try report.encoded()) }
        try output.write(BenchTables.sheet(report, process))
        try output.write(plain: "")
        try output.write(BenchTables.figures(report))
        for line in BenchTables.notes(report) { try output.write(.normal(line)) }
        guard let earlier else { return }
        let comparison = try earlier.compared(with: report)
        try output.write(plain: "")
        try output.write(.normal(BenchTables.title(of: earlier, in: output.timeZone)))
        try output.write(BenchTables.ratios(comparison))
    }
}

/// The words around the options in `roomline bench --help`.
enum BenchHelp {
    static let text = """
        Opens connections to a broker, in rooms of its own, and measures what it does. All workloads take about a minute. \
        Ctrl-C ends it, and shows what was measured so far.

        WORKLOADS
          idle     opens 5000 subscribed connections and holds them: memory and
                   processor time of a connection
          fanout   200 members in 4 rooms; bursts of 32 messages, the next one when
                   all members have the last one
          rooms    500 members in 50 rooms, one message at a time in each room
          latency  100 members in a room, 200 messages a second
          churn    connect, handshake, subscribe, disconnect; 32 at a time
          durable  8 publishers in 8 rooms; bursts of 32 acknowledged publishes, the
                   next one when all are acknowledged; needs a channel with history

        EXAMPLES
          roomline bench
              All workloads, in the channel "default" of the broker on this machine.
          roomline bench --workload fanout,latency --server ws://127.0.0.1:10001
              Two workloads, over WebSocket.
          roomline bench --workload fanout --members 1000 --size 1024 --channel bench
              One workload with other settings.
          roomline bench --output before.json
              Keep the result in a file.
          roomline bench --compare before.json
              Show the ratios to an earlier result.

        In a channel with history, the broker stores what is published. To measure delivery alone, start it with \
        --channel bench,history=off --publish-rate unlimited and give --channel bench.

        EXIT CODES
          0   measured, or ended by Ctrl-C
          1   the broker refused something: standard error says what, and which
              option of the broker allows it
          64  a wrong option or argument, or a file that cannot be compared with
          69  no broker answers, or not any more
        """
}
