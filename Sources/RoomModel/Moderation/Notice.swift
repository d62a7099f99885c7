/// What a `notice` frame says.
package struct Notice: Equatable, Sendable {
    /// What a client can act on.
    package enum Kind: Equatable, Sendable {
        case locked
        case unlocked
        /// Seconds between two messages of a member; 0: off.
        case slowMode(seconds: Int)
    }

    /// For people.
    package var text: String
    /// `nil`: what somebody had to say.
    package var kind: Kind?

    package init(text: String, kind: Kind? = nil) {
        self.text = text
        self.kind = kind
    }
}
