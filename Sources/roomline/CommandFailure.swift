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

    /// Says it on standard error; what is to be thrown then.
    var reported: ExitCode {
        Self.say(self.text)
        return ExitCode(self.code.rawValue)
    }

    /// A line on standard error.
    static func say(_ text: String) {
        // Where standard error is closed, nobody is there to be told.
        try? StandardOutput.errors.write("roomline: \(text.sanitized)\n")
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
}

extension CommandFailure {
    /// Runs a command's work, and says on standard error why it failed. That the reader has gone, as `head` does, is no
    /// failure.
    static func reporting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as CommandFailure {
            throw failure.reported
        } catch let error as AdminError {
            throw CommandFailure(error).reported
        } catch let closed as StandardOutput.Closed {
            guard !closed.isGone else { return }
            throw CommandFailure(code: .refused, text: "standard output cannot be written to").reported
        }
    }
}
