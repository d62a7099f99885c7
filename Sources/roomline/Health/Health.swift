import ArgumentParser
import NIOCore
import RoomAdmin

/// `roomline health`
struct Health: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Say whether the broker is ready to serve.",
        discussion: AdminHelp.text(
            "The broker is ready while it listens, can store messages and is not draining. No token is needed.",
            ("health", "Ask the broker of this machine."),
            ("health --server http://127.0.0.1:10001", "Ask by HTTP, where the admin socket is off.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let response = try await client.health()
        if output.isJSON { try output.write(response.body) }
        guard response.status == 200 else {
            let text = String(buffer: response.body)
            throw CommandFailure(code: .refused, text: "the broker is not ready: \(text)")
        }
        if !output.isJSON { try output.write(plain: "ready") }
    }
}
