import ArgumentParser
import Foundation
import Logging
import RoomModel
import RoomServer

/// `roomline cluster begin`
struct ClusterBegin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin",
        abstract: "Begin a cluster with the data of a broker that ran alone.",
        discussion: AdminHelp.text(
            """
            Stop the broker first, and make a copy of its data directory. The command makes the directory that of the cluster's \
            first node: channels, tokens, bans, rules and messages stay, and clients that come back go on where they were. Start \
            that node, then give each other node its backup.

            The way back is "roomline restore --alone".
            """,
            (
                "cluster begin --data /srv/roomline --cluster-name chat --lost-log",
                "Begin it anew with what a node has, when its nats-servers have lost their data."
            ),
            (
                "cluster begin --data /srv/roomline --cluster-name chat",
                "Begin the cluster \"chat\" with 16 partitions."
            ),
            (
                "cluster begin --data /srv/roomline --cluster-name chat --cluster-partitions 64",
                "Begin it with as many partitions as its nodes will be started with."
            )
        )
    )

    @Option(
        help: ArgumentHelp(
            "The data directory of the broker. The environment variable is ROOMLINE_DATA. (default: the one that \"roomline serve\" uses)",
            valueName: "DIRECTORY"
        )
    )
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file of \"roomline serve\", which may set the options of this command.",
            valueName: "FILE"
        )
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The name of the cluster, as its nodes will get it. The environment variable is ROOMLINE_CLUSTER_NAME.",
            valueName: "NAME"
        )
    )
    var clusterName: String?

    @Option(
        help: ArgumentHelp(
            "The partitions of the cluster, as its nodes will get them. The environment variable is ROOMLINE_CLUSTER_PARTITIONS.",
            valueName: "COUNT"
        )
    )
    var clusterPartitions: Int?

    @Flag(help: "Take the data of a node whose cluster has lost its log. Every room gets a new epoch.")
    var lostLog = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        try await CommandFailure.reporting { try await self.begin() }
    }

    private func begin() async throws {
        ProcessSetup.makeNewFilesPrivate()
        let flags = [
            ("--data", self.data), ("--cluster-name", self.clusterName),
            ("--cluster-partitions", self.clusterPartitions.map { "\($0)" }),
        ]
        let settings = try ServeSettings.load(
            flags: flags.flatMap { name, value in value.map { [name, $0] } ?? [] },
            config: self.config
        )
        let data = try ServeSettings.dataDirectory(of: settings)
        // What is wrong with the files is told as "roomline serve" tells it.
        let log = LogWriter(.text, environment: ClientOptions.environment)
        defer { log.flush() }
        let logger = Logger.roomline(label: "roomline", threshold: LogThreshold(.warning), writer: log)
        let beginning = ClusterBeginning(data, of: settings.cluster, logIsLost: self.lostLog, logger: logger)
        try Confirmation.ask(
            "makes \(data) the directory of a node of the cluster \(beginning.name), on which no broker runs alone any more",
            isGiven: self.yes
        )
        let outcome = try await ProgressReport.during(isQuiet: false) { report in
            report.begin("preparing the first node")
            do {
                return try await beginning.run()
            } catch {
                throw CommandFailure(code: .refused, text: "\(error)")
            }
        }
        CommandFailure.say(
            "\(data) is ready: \(Counted.text(outcome.channels, "channel")) and \(Counted.text(outcome.rooms, "room")). Start the first node with --cluster, "
                + "--cluster-name \(beginning.name) and --cluster-partitions \(beginning.partitions)"
        )
    }
}
