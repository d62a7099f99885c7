import ArgumentParser
import Foundation
import Logging
import RoomServer

/// `roomline serve`: loads the configuration, prepares the process and runs the broker until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the broker.",
        discussion: ServeHelp.text
    )

    @Option(
        help: ArgumentHelp("A JSON file of options; the environment variable is ROOMLINE_CONFIG.", valueName: "FILE")
    )
    var config: String?

    @Flag(help: "Show every option with its value and its source, check the certificate and its key, then end.")
    var printConfig = false

    @Flag(help: "With --print-config: write a JSON object for each option, one a line.")
    var json = false

    /// The rest is read by `OptionTable`, so that an option stands in one place.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var options: [String] = []

    func run() async throws {
        let environment = ServeSettings.environment
        do {
            let loaded = try ConfigurationLoader.load(flags: self.options, environment: environment, file: self.config)
            if self.printConfig {
                try StandardOutput.output.write(self.json ? loaded.jsonLines : loaded.listing)
                try loaded.configuration.checkFiles()
            } else if self.json {
                throw ConfigurationError.refused("--json goes with --print-config")
            } else {
                let (options, file) = (self.options, self.config)
                try await self.serve(loaded.configuration, environment: environment) {
                    () throws(ConfigurationError) -> ServerConfiguration in
                    try ConfigurationLoader.load(flags: options, environment: environment, file: file).configuration
                }
            }
        } catch let error as ConfigurationError {
            let log = LogWriter(.text, environment: environment)
            defer { log.flush() }
            throw self.failure("\(error)", exitCode: error.exitCode, log)
        }
    }

    private func serve(
        _ configuration: ServerConfiguration,
        environment: [String: String],
        reload: @escaping @Sendable () throws(ConfigurationError) -> ServerConfiguration
    ) async throws {
        ProcessSetup.makeNewFilesPrivate()
        ProcessSetup.ignoreOtherSignals()
        let files = ProcessSetup.raiseOpenFileLimit()
        let threshold = LogThreshold(configuration.process.logLevel)
        let log = LogWriter(configuration.process.logFormat, environment: environment)
        defer { log.flush() }
        let logger = Logger.roomline(label: "roomline", threshold: threshold, writer: log)
        logger.debug("open files", metadata: ["soft": "\(files.soft ?? 0)", "hard": "\(files.hard ?? 0)"])
        let metrics = ProcessSetup.makeMetrics(logger: logger)
        let bar = configuration.process.logFormat == .text ? MigrationBar(environment: environment, log: log) : nil
        let process = Broker.Process(
            threshold: threshold,
            log: log,
            notifier: ServiceNotifier(environment: environment),
            showMigration: bar?.show,
            banner: StartBanner(configuration.process, environment: environment)?.text,
            reload: reload
        )
        let broker = Broker(configuration: configuration, metrics: metrics, logger: logger, process: process)
        do {
            try await broker.run()
        } catch {
            bar?.end()
            let code = (error as? ConfigurationError)?.exitCode ?? EXIT_FAILURE
            throw self.failure("\(error)", exitCode: code, log)
        }
        bar?.end()
    }

    /// Says in one line why the broker does not run, as the log does: without waiting for somebody who does not read it.
    private func failure(_ reason: String, exitCode: Int32, _ log: LogWriter) -> ExitCode {
        log.write("roomline: \(reason.sanitized)\n")
        return ExitCode(exitCode)
    }
}

/// The words around the options in `roomline serve --help`.
enum ServeHelp {
    static let text = """
        By default, the broker accepts connections from this machine only, keeps its history in your data directory and logs \
        to standard error. SIGTERM or Ctrl-C stops it gracefully; a second one stops it at once. SIGHUP \
        reloads the certificate, the channels and the log level.

        EXAMPLES
          roomline serve
              Listen on 127.0.0.1:10000, with one channel named "default".
          roomline serve --data :memory: --log-level debug
              Try things out; keep nothing on the disk.
          roomline serve --channel talk,history=5000 --channel game,history=off
              Two channels: one keeps 5000 messages a room, one keeps none.
          roomline serve --config roomline.json --print-config
              Show the value of each option, and its source.

        Every option is a flag, an environment variable and a key of the file: --max-line 64KiB, \
        ROOMLINE_MAX_LINE=64KiB, {"max-line": "64KiB"}. A flag overrides the environment, which overrides the file.

        \(OptionHelp.text)
        """
}
