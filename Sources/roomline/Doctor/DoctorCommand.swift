import ArgumentParser
import Foundation
import RoomServer

/// `roomline doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems of a broker on this machine.",
        discussion: """
            Give the same options as for "roomline serve"; the command reads the same environment and file. It checks the limit \
            of open files, permissions and owners, free space, the speed of the disk, the databases, the clock, the \
            certificate, the ports, and whether the broker answers, and gives advice for each problem. It names the rooms that take most of the disk. It \
            changes nothing, and the broker may be running.

            EXAMPLES
              roomline doctor
                  Check with the defaults of "roomline serve".
              roomline doctor --data /srv/roomline --tcp 0.0.0.0:10000
                  Check with other options of "roomline serve".
              roomline doctor --json | jq '.findings[] | select(.status != "ok")'
                  Show only warnings and problems.

            EXIT CODES
              0   there is no problem; there may be warnings
              1   there is a problem
              64  a wrong option
            """
    )

    @Option(
        help: ArgumentHelp("A JSON file of options; the environment variable is ROOMLINE_CONFIG.", valueName: "FILE")
    )
    var config: String?

    @Flag(help: "Write JSON: one object with all findings.")
    var json = false

    /// The rest is read as "roomline serve" reads it.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var options: [String] = []

    func run() async throws {
        ProcessSetup.makeNewFilesPrivate()
        let options = self.options
        let config = self.config
        let isJSON = self.json
        try await CommandFailure.reporting {
            let settings = try ServeSettings.load(flags: options, config: config)
            let findings = try await ProgressReport.during(isQuiet: isJSON) { report in
                Doctor(settings).findings { report.begin($0) } + (await BrokerQuestion(settings: settings).findings())
            }
            try DoctorReport(findings).write(to: AdminOutput(isJSON: isJSON))
            if findings.contains(where: { $0.status == .problem }) {
                throw CommandFailure(code: .refused, text: "there are problems")
            }
        }
    }
}
