import ArgumentParser
import Foundation
import RoomServer

/// `roomline doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps a broker on this machine from working well.",
        usage: "roomline doctor [--json] [--config FILE] [options of serve]",
        discussion: """
            Give it what you give "roomline serve": it goes by the same options, environment and file. It looks at the limit \
            of open files, permissions and owners, free space, the speed of the disk, whether the databases are whole, the \
            clock, the ports, and whether the broker answers; each with advice. A broker may be running meanwhile or not: \
            nothing of its is changed.

            EXAMPLES
              roomline doctor
                  Of the broker that "roomline serve" would be.
              roomline doctor --data /srv/roomline --tcp 0.0.0.0:10000
                  With options of "roomline serve".
              roomline doctor --json | jq '.findings[] | select(.status != "ok")'
                  What is not as it should be.

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

    /// What is left is read as "roomline serve" reads it.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var options: [String] = []

    func run() async throws {
        ProcessSetup.makeNewFilesPrivate()
        let options = self.options
        let config = self.config
        let isJSON = self.json
        try await CommandFailure.reporting {
            let settings = try ServeSettings.load(flags: options, config: config)
            let findings = Doctor(settings).findings() + [await BrokerQuestion(settings).finding()]
            try DoctorReport(findings).write(to: AdminOutput(isJSON: isJSON))
            if findings.contains(where: { $0.status == .problem }) {
                throw CommandFailure(code: .refused, text: "there are problems")
            }
        }
    }
}
