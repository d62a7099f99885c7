import ArgumentParser
import Foundation
import RoomServer

/// Asks before something is done that cannot be undone.
enum Confirmation {
    /// - Parameters:
    ///   - deed: completes "This ".
    ///   - isGiven: `--yes` was said, so that nobody is asked.
    /// - Throws: where the answer is no, or nobody is there to be asked.
    static func ask(_ deed: String, isGiven: Bool) throws(CommandFailure) {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                code: .usage,
                text: "this \(deed); standard input is not a terminal, so nobody can confirm it: say --yes"
            )
        }
        // Where standard error is closed, the answer is still read.
        try? StandardOutput.errors.write("This \(deed.sanitized). Go on? [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(code: .refused, text: "nothing was changed")
        }
    }
}

/// Options of a command that removes something for good.
struct RemovalOptions: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Change nothing; only show what would be removed.")
    var dryRun = false

    func validate() throws {
        guard !self.yes || !self.dryRun else { throw ValidationError("--yes and --dry-run exclude each other.") }
    }
}
