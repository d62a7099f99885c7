import ArgumentParser
import Foundation
import RoomAdmin
import RoomCore
import RoomJSON
import RoomModel

/// `roomline token verify`
struct TokenVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check whether a channel accepts a token, and show what it permits.",
        discussion: AdminHelp.text(
            "The exit code is 0 if the channel accepts the token, and 1 if not.",
            ("token verify luke.token --channel shop --secret-file shop.secret", "Check the signature and the expiry."),
            (
                "token verify luke.token --channel shop --secret-file shop.secret --room lobby --room staff",
                "Also show what the token permits in these rooms."
            )
        )
    )

    @OptionGroup
    var token: TokenArgument

    @OptionGroup
    var secret: SecretOptions

    @Option(help: ArgumentHelp("Show the permissions for this room. May be repeated.", valueName: "ROOM"))
    var room: [String] = []

    @Flag(help: "Write a JSON object with the result.")
    var json = false

    func validate() throws {
        guard self.token.file != "-" || self.secret.secretFile != "-" else {
            throw ValidationError("The token and the secret cannot both come from standard input.")
        }
    }

    func run() async throws {
        try await CommandFailure.reporting {
            let text = try self.token.text()
            let grant = try self.grant(text)
            let rooms = self.room.map { (room: $0, permission: grant.permissions.permission(for: RoomName($0))) }
            let output = AdminOutput(isJSON: self.json)
            guard !self.json else { return try output.write(self.document(grant, rooms).bytes) }
            try output.write(TokenTables.sheet(try TokenText(text), now: Date(), in: output.timeZone))
            if !rooms.isEmpty { try output.write(TokenTables.permissions(rooms)) }
        }
    }

    private func grant(_ token: String) throws(CommandFailure) -> TokenGrant {
        let verifier = TokenVerifier(
            channel: try self.secret.channelID(),
            secrets: [try self.secret.secret()],
            skew: 0
        )
        do throws(RequestError) {
            return try verifier.verify(token, now: Int64(Date().timeIntervalSince1970))
        } catch {
            throw CommandFailure(code: .refused, text: error.text)
        }
    }

    private func document(_ grant: TokenGrant, _ rooms: [(room: String, permission: RoomPermission)]) -> JSONTree {
        .object([
            .init("valid", .bool(true)),
            .init("channel", .string(self.secret.channel)),
            .init("client", .optional(grant.clientID) { .string($0) }),
            .init("expires", .integer(grant.expires)),
            .init("rooms", .array(rooms.map { Self.document($0, $1) })),
        ])
    }

    private static func document(_ room: String, _ permission: RoomPermission) -> JSONTree {
        .object([
            .init("room", .string(room)), .init("publish", .bool(permission.publish)),
            .init("subscribe", .bool(permission.subscribe)), .init("history", .integer(permission.history)),
            .init("moderate", .bool(permission.moderate)),
        ])
    }
}
