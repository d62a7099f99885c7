import ArgumentParser
import Foundation
import RoomAdmin

/// `roomline console`
struct Console: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Print a link that signs a browser in to the console.",
        discussion: AdminHelp.text(
            """
            The link works once, within a minute. The command asks the admin socket, so the broker has to be on this \
            machine. From another machine, open https://HOST:PORT/console and sign in with an admin token.
            """,
            ("console", "Print the link."),
            ("console --open", "Also open it in the browser."),
            ("console --output link", "Write the link to a new file that only you can read.")
        )
    )

    @Flag(help: "Open the link in the browser, with open or xdg-open.")
    var open = false

    @OptionGroup
    var link: SecretOutput

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let (answer, file) = try await self.link.open { try await client.answer(to: .createConsoleLink) }
        let body = answer.response.body
        let link = try answer.value()
        if let file {
            try file.write(link.url)
            CommandFailure.say("the link is in \(file.path); it works once, within a minute")
            if output.isJSON { try output.write(try SecretOutput.without("url", body)) }
        } else if output.isJSON {
            try output.write(body)
        } else {
            try output.write(plain: TerminalText.line(link.url))
        }
        if self.open, !Self.show(link.url) {
            CommandFailure.say("no browser could be opened: open the link yourself")
        }
    }

    /// - Returns: whether there is a program for that, and it took the link.
    private static func show(_ url: String) -> Bool {
        #if os(macOS)
        let name = "open"
        #else
        let name = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name, url]
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
