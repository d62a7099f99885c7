import ArgumentParser
import NIOCore
import RoomCore
import RoomWire

/// Where a token is read from.
struct TokenArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("A file with the token; - for standard input.", valueName: "FILE"))
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
            throw CommandFailure(code: .refused, text: "that is no token: one has 3 parts with a dot between them")
        }
        self.header = try Self.part(parts[0], "header")
        self.claims = try Self.part(parts[1], "claims")
    }

    private static func part(_ text: Substring.UTF8View, _ name: String) throws(CommandFailure) -> JSONTree {
        guard let bytes = Base64URL.decode(text), let tree = try? JSONTree.read(ByteBuffer(bytes: bytes)) else {
            throw CommandFailure(code: .refused, text: "that is no token: its \(name) are not JSON in base64url")
        }
        return tree
    }
}
