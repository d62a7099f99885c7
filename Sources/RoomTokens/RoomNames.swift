/// Selects rooms by their names, for the permissions of a token.
public struct RoomNames: Hashable, Sendable {
    /// The regular expression in the token, which the broker searches in the name of the room.
    public let pattern: String

    /// All rooms of the channel.
    public static let all = Self(matching: ".*")

    /// One room.
    public static func exactly(_ name: String) -> Self { Self(matching: "^\(Self.escaped(name))$") }

    /// The rooms whose names begin with this text.
    public static func startingWith(_ prefix: String) -> Self { Self(matching: "^\(Self.escaped(prefix)).*") }

    /// The rooms that a regular expression matches, in Perl's syntax. It may match anywhere in the name: `main` also selects
    /// `the-main-room`. If it is not a valid expression, it selects no room.
    public static func matching(_ pattern: String) -> Self { Self(matching: pattern) }

    private init(matching pattern: String) {
        self.pattern = pattern
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            if Self.special.contains(character) { escaped.append("\\") }
            escaped.unicodeScalars.append(character)
        }
        return escaped
    }

    /// The characters that do not stand for themselves in a regular expression.
    private static let special = Set(#"\^$.|?*+()[]{}"#.unicodeScalars)

    /// The broker rejects tokens beyond these bounds.
    static func check(_ names: some Collection<Self>) throws(RoomTokenError) {
        guard names.count <= Self.mostPatterns else { throw .tooManyPatterns(names.count) }
        for name in names where name.pattern.utf8.count > Self.longestPattern {
            throw .patternTooLong(bytes: name.pattern.utf8.count)
        }
    }

    private static let mostPatterns = 256
    private static let longestPattern = 1024
}
