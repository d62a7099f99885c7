import NIOCore
import RoomJSON
package import RoomModel

/// The identity of a member beyond one connection, as its token's `data` (`authData`) says.
package enum UserIdentity {
    /// Claims that name a user, the first one that is there decides.
    private static let keys = ["id", "user_id", "sub"]

    /// The user that the value names: the value itself where it is a string or a number, else its `id`, `user_id` or `sub`.
    ///
    /// - Parameter data: one JSON value.
    /// - Returns: `nil` where it names none, or one that is empty or longer than 200 bytes. A number stands as it is written.
    package static func of(_ data: [UInt8]) -> String? {
        JSONValue.reading(data, nestingLimit: TokenLimits.nesting) { value in
            guard let value else { return nil }
            if let text = value.string ?? value.digits { return Self.checked(text) }
            guard let fields = value.fields else { return nil }
            var found: [String: String] = [:]
            for (name, value) in fields {
                // of a repeated one the last decides
                if let name, Self.keys.contains(name) { found[name] = value.string ?? value.digits }
            }
            return Self.keys.lazy.compactMap { found[$0] }.first.flatMap(Self.checked)
        }
    }

    /// The user that the `authData` of a sender names.
    package static func of(_ sender: Sender) -> String? {
        JSONFields.value(of: "authData", in: sender.json).flatMap { self.of(Array($0.readableBytesView)) }
    }

    private static func checked(_ text: String) -> String? {
        text.isEmpty || text.utf8.count > SanctionSubject.longestUser ? nil : text
    }
}
