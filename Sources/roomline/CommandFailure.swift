import ArgumentParser
import Foundation
import RoomAdmin
import RoomClient
import RoomServer

/// Why a command ends without having done what it was asked to: one line for people, and a code for scripts.
struct CommandFailure: Error {
    /// The number of an `EX_…` of sysexits.h, where one is fitting.
    enum Code: Int32 {
        /// The broker refused something.
        case refused = 1
        /// 64, which is also what a wrong option ends in.
        case usage = 64
        /// 69: nobody answers where the broker should be.
        case unavailable = 69
    }

    let code: Code
    let text: String
    /// What the line is about, below it and each on a line of its own.
    var details: [String] = []

    /// Says it on standard error; what is to be thrown then.
    var reported: ExitCode {
        Self.say(self.text)
        for detail in self.details { Self.write("  \(detail.sanitized)\n") }
        return ExitCode(self.code.rawValue)
    }

    /// A line on standard error.
    static func say(_ text: String) {
        Self.write("roomline: \(text.sanitized)\n")
    }

    private static func write(_ text: String) {
        // Where standard error is closed, nobody is there to be told.
        try? StandardOutput.errors.write(text)
    }
}

extension CommandFailure {
    /// Helps where a certificate is good, but of nobody who is trusted.
    static let trustHint = "(--trust FILE trusts a certificate that the system does not know)"

    /// Why there is no connection.
    init(connecting error: RoomClientError, to server: String) {
        switch error.code {
        case .connectionFailed, .connectionLost, .timedOut, .notConnected, .shuttingDown:
            let hint =
                error.message.hasSuffix(TLSFailure.distrusted.reason)
                ? " \(Self.trustHint)"
                : error.message.hasPrefix("no encrypted connection")
                    ? "" : " (\"roomline serve\" starts a broker, --server URL says where one is)"
            self.init(code: .unavailable, text: "\(server): \(error.message)\(hint)")
        case .invalidURL: self.init(code: .usage, text: error.message)
        default: self.init(code: .refused, text: error.advice)
        }
    }

    /// Why there is no connection any more, and will be none.
    init(over error: RoomClientError) {
        self.init(code: .refused, text: "the connection is over: \(error.advice)")
    }
}

extension CommandFailure {
    /// Why standard output does not have everything.
    init(_ closed: StandardOutput.Closed) {
        let reason = String(cString: strerror(closed.code))
        self.init(code: .refused, text: "standard output cannot be written to: \(reason)")
    }

    /// Runs a command's work, and says on standard error why it failed. That the reader has gone, as `head` does, is no
    /// failure.
    static func reporting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            if let reported = Self.reported(error) { throw reported }
        }
    }

    /// Says on standard error what the parser would not say as we do.
    ///
    /// - Returns: what the command ends with; `nil`: nothing failed.
    private static func reported(_ error: any Error) -> (any Error)? {
        switch error {
        case let failure as CommandFailure: failure.reported
        case let error as AdminError: CommandFailure(error).reported
        case let closed as StandardOutput.Closed: closed.isGone ? nil : CommandFailure(closed).reported
        default: error
        }
    }

    /// A help for the width of the terminal. The parser would cut texts that are set in, and commands, anywhere.
    private static func help(_ command: any ParsableCommand.Type, _ error: any Error) -> String {
        let variable = "COLUMNS"
        let columns = ProcessSetup.environment[variable].flatMap { Int($0) } ?? TerminalSize.columns
        // The parser's own variable for the width: lines of any length stay whole.
        setenv(variable, "\(Int32.max)", 1)
        let text = Self.message(command, error)
        let isHelp = ["OVERVIEW: ", "USAGE: "].contains { text.hasPrefix($0) }
        return isHelp ? HelpText(columns: max(columns, 20)).wrapped(text) : text
    }

    private static func message(_ command: any ParsableCommand.Type, _ error: any Error) -> String {
        UsageLine.unified(in: command.fullMessage(for: error))
    }

    /// Ends the process as the parser's `exit(withError:)` does, and knows whether what it had to say could be written.
    static func exit(_ command: any ParsableCommand.Type, with error: any Error) -> Never {
        guard let error = Self.reported(error) else { Foundation.exit(EXIT_SUCCESS) }
        let code = command.exitCode(for: error)
        let text = code.isSuccess ? Self.help(command, error) : Self.message(command, error)
        do throws(StandardOutput.Closed) {
            if !text.isEmpty { try (code.isSuccess ? StandardOutput.output : .errors).write(text + "\n") }
        } catch {
            // A mistake that nobody can be told of has its code all the same.
            if code.isSuccess, !error.isGone { Foundation.exit(CommandFailure(error).reported.rawValue) }
        }
        Foundation.exit(code.rawValue)
    }
}
