import ArgumentParser
import Foundation
import NIOCore
import RoomAdmin
import RoomCore
import RoomJSON
import RoomModel
import RoomTokens

/// `roomline token make`
struct TokenMake: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Create a token for a client and print it.",
        discussion: AdminHelp.text(
            """
            The token permits only what an --allow grants. If several patterns match a room, --deny wins over --allow, and the \
            lowest history counts. PATTERN is a regular expression that is searched in the name of the room: '^lobby$' is that \
            room, '.*' is every room. WORDS are publish, subscribe, moderate and history:N (history alone is history:100).
            """,
            (
                "token make --channel shop --secret-file shop.secret --allow '.*=publish,subscribe,history:100'",
                "For any client, for an hour."
            ),
            (
                #"token make --secret-file - --client luke --expires 12h --data '{"id":"luke"}' --allow '^room-7$=subscribe'"#,
                "For one client, with signed data about it; the secret comes from standard input."
            ),
            (
                "token make --channel shop --allow '.*=publish,subscribe' --deny '^staff=publish' --output luke.token",
                "With the secret in ROOMLINE_SECRET; clients use the file with --token-file."
            )
        )
    )

    @OptionGroup
    var secret: SecretOptions

    @Option(help: ArgumentHelp("The only client id that may use the token.", valueName: "ID"))
    var client: String?

    @Option(help: ArgumentHelp("How long the token is valid, such as 10m or 7d.", valueName: "DURATION"))
    var expires = DurationArgument(milliseconds: 3_600_000)

    @Option(
        help: ArgumentHelp(
            "Signed data about the member, as JSON: auth_data in the protocol. Its id, user_id or sub is the user for bans and mutes.",
            valueName: "JSON"
        )
    )
    var data: String?

    @Option(
        help: ArgumentHelp("What it permits, in which rooms. May be repeated.", valueName: "PATTERN=WORDS"),
        transform: { try PermissionArgument($0) }
    )
    var allow: [PermissionArgument] = []

    @Option(
        help: ArgumentHelp("What it denies, even if --allow grants it. May be repeated.", valueName: "PATTERN=WORDS"),
        transform: { try PermissionArgument($0) }
    )
    var deny: [PermissionArgument] = []

    @OptionGroup
    var file: SecretOutput

    @Flag(help: "Write an object with the token and its claims.")
    var json = false

    func validate() throws {
        guard self.expires.milliseconds >= 1_000 else { throw ValidationError("--expires has to be 1s or more.") }
        guard !self.allow.isEmpty else {
            throw ValidationError("A token without --allow permits nothing; try --allow '.*=publish,subscribe'.")
        }
    }

    func run() async throws {
        try await CommandFailure.reporting {
            let now = Int64(Date().timeIntervalSince1970)
            let payload = try self.draft(now: now).payload()
            let secret = try self.secret.secret()
            let token = TokenSigner(secret: secret.text).sign(payload: payload)
            try self.check(token, secret, now: now)
            let output = AdminOutput(isJSON: self.json)
            let claims = JSONTree.Field("claims", .verbatim(ByteBuffer(string: payload)))
            if let file = try await self.file.open(for: {}).file {
                try file.write(token)
                CommandFailure.say("the token is in \(file.path)")
                if self.json { try output.write(JSONTree.object([claims]).bytes) }
            } else if self.json {
                try output.write(JSONTree.object([.init("token", .string(token)), claims]).bytes)
            } else {
                try output.write(plain: token)
            }
        }
    }

    private func draft(now: Int64) throws(CommandFailure) -> TokenDraft {
        TokenDraft(
            channel: try self.secret.channelID(),
            client: self.client,
            issued: now,
            expires: min(now + Int64(self.expires.milliseconds / 1_000), Int64(TokenTime.never)),
            data: try self.dataTree(),
            allowed: self.allow,
            denied: self.deny
        )
    }

    private func dataTree() throws(CommandFailure) -> JSONTree? {
        guard let data = self.data else { return nil }
        do throws(RequestError) {
            return try JSONTree.read(ByteBuffer(string: data))
        } catch {
            throw CommandFailure(code: .usage, text: "--data is not JSON: \(error.text)")
        }
    }

    /// A token that the broker would refuse is not handed out.
    private func check(_ token: String, _ secret: ChannelSecret, now: Int64) throws(CommandFailure) {
        let verifier = TokenVerifier(channel: try self.secret.channelID(), secrets: [secret], skew: 0)
        do throws(RequestError) {
            _ = try verifier.verify(token, now: now)
        } catch {
            throw CommandFailure(code: .usage, text: "a broker would refuse this token: \(error.text)")
        }
    }
}
