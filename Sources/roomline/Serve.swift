import ArgumentParser
import Foundation
import Logging
import RoomServer

/// `roomline serve`: loads the configuration, prepares the process and runs the broker until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the broker.",
        usage: "roomline serve [--config FILE] [--print-config] [options]",
        discussion: ServeHelp.text
    )

    @Option(
        help: ArgumentHelp("A JSON file of options; the environment variable is ROOMLINE_CONFIG.", valueName: "FILE")
    )
    var config: String?

    @Flag(help: "Show every option with its value and where it came from, then end.")
    var printConfig = false

    /// What is left is read by `OptionTable`, so that an option stands in one place.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var options: [String] = []

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment.filter { !ClientOptions.variables.contains($0.key) }
        do {
            let loaded = try ConfigurationLoader.load(flags: self.options, environment: environment, file: self.config)
            if self.printConfig {
                print(loaded.listing, terminator: "")
            } else {
                try await self.serve(loaded.configuration, environment: environment)
            }
        } catch let error as ConfigurationError {
            throw self.failure("\(error)", exitCode: error.exitCode)
        } catch {
            throw self.failure("\(error)", exitCode: EXIT_FAILURE)
        }
    }

    private func serve(_ configuration: ServerConfiguration, environment: [String: String]) async throws {
        ProcessSetup.makeNewFilesPrivate()
        ProcessSetup.ignoreBrokenPipes()
        let files = ProcessSetup.raiseOpenFileLimit()
        let logger = Logger.roomline(label: "roomline", settings: configuration.process, environment: environment)
        logger.debug("open files", metadata: ["soft": "\(files.soft ?? 0)", "hard": "\(files.hard ?? 0)"])
        let metrics = ProcessSetup.makeMetrics(logger: logger)
        try await Broker(configuration: configuration, metrics: metrics, logger: logger).run()
    }

    /// Says in one line why the broker does not run.
    private func failure(_ reason: String, exitCode: Int32) -> ExitCode {
        FileHandle.standardError.write(Data("roomline: \(reason.sanitized)\n".utf8))
        return ExitCode(exitCode)
    }
}
