import Foundation

/// Users as they are shown and read.
extension TerminalText {
    /// A user: one that could be taken for another one, or for more than a user, is in quotes, with escapes for what nobody sees.
    static func user(_ user: String) -> String {
        let isShown = self.line(user) == user && self.key(user) == user.lowercased()
        let isComposed = self.isSameUser(user, user.precomposedStringWithCanonicalMapping)
        let scalars = Array(user.unicodeScalars)
        let isWord = !scalars.isEmpty && !scalars.contains { " ,\"\\".unicodeScalars.contains($0) }
        if isShown, isComposed, isWord { return user }
        // of two blanks, a page or a person drops one
        let escaped = scalars.indices.map { index in
            index > 0 && scalars[index - 1...index].allSatisfy { $0 == " " } ? "\\u{20}" : self.escaped(scalars[index])
        }
        return "\"\(escaped.joined())\""
    }

    /// An actor of the audit log: a member by its user, in quotes where it could be taken for another one.
    static func actor(_ actor: String) -> String {
        let member = "member:"
        return actor.hasPrefix(member) ? member + self.user(String(actor.dropFirst(member.count))) : actor
    }

    /// Reads an actor as `actor(_:)` writes it.
    static func readActor(_ text: String) -> String {
        let member = "member:"
        return text.hasPrefix(member) ? member + self.readUser(text.dropFirst(member.count)) : text
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
        return " "..."~" ~= scalar ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    /// Whether two users are one: Swift's `==` takes two spellings of one accent for the same, and the broker does not.
    static func isSameUser(_ one: String?, _ other: String?) -> Bool {
        one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
    }

    /// Reads a user as `user(_:)` writes it.
    static func readUser(_ text: Substring) -> String {
        guard text.count > 1, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing(/\\u\{([0-9a-fA-F]+)\}|\\(.)/) { escape in
            if let character = escape.2 { return String(character) }
            let scalar = escape.1.flatMap { UInt32($0, radix: 16) }.flatMap(Unicode.Scalar.init)
            return scalar.map { String($0) } ?? String(escape.0)
        }
    }
}
