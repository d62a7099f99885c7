import ArgumentParser
import Foundation
import NIOCore
import RoomCore
import RoomJSON
import RoomTokens

/// `roomline token …`
struct TokenCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create and check the access tokens of clients.",
        discussion: """
            These commands need the channel's secret, but no broker. They read secrets and tokens from files, standard input or \
            the environment, since every user of the machine can see the arguments of a command.

            \(AdminHelp.group(
                "token make --channel shop --secret-file shop.secret --allow '.*=publish,subscribe'",
                "token inspect luke.token", "token verify luke.token --channel shop --secret-file shop.secret"))
            """,
        subcommands: [TokenMake.self, TokenInspect.self, TokenVerify.self]
    )
}

/// `roomline token inspect`
struct TokenInspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the content of a token, without checking its signature.",
        discussion: AdminHelp.text(
            "Anybody can read a token, and write one with the same content; \"token verify\" checks the signature.",
            ("token inspect luke.token", "The claims, one a line."),
            ("token inspect --json < luke.token | jq .claims.permissions", "One claim, for a script.")
        )
    )

    @OptionGroup
    var token: TokenArgument

    @Flag(help: "Write an object with the header and the claims.")
    var json = false

    func run() async throws {
        try await CommandFailure.reporting {
            let token = try TokenText(try self.token.text())
            let output = AdminOutput(isJSON: self.json)
            guard self.json else {
                return try output.write(TokenTables.sheet(token, now: Date(), in: output.timeZone))
            }
            try output.write(
                JSONTree.object([.init("header", token.header), .init("claims", token.claims)]).bytes
            )
        }
    }
}

/// Where a token is read from.
struct TokenArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A file with the token; - for standard input.", valueName: "FILE"),
        completion: .file()
    )
    var file = "-"

    /// - Throws: where it cannot be read.
    func text() throws(CommandFailure) -> String {
        try SecretText.read(file: self.file, variable: "", what: "token") ?? ""
    }
}

/// A token taken apart, without asking whether it is signed by anybody.
struct TokenText: Equatable, Sendable {
    let header: JSONTree
    let claims: JSONTree

    init(_ text: String) throws(CommandFailure) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw CommandFailure(code: .refused, text: "this is not a token: one has 3 parts with dots between them")
        }
        self.header = try Self.part(parts[0], "header")
        self.claims = try Self.part(parts[1], "claims")
    }

    private static func part(_ text: Substring.UTF8View, _ name: String) throws(CommandFailure) -> JSONTree {
        guard let bytes = Base64URL.decode(text), let tree = try? JSONTree.read(ByteBuffer(bytes: bytes)) else {
            throw CommandFailure(code: .refused, text: "this is not a token: its \(name) part is not JSON in base64url")
        }
        return tree
    }
}
