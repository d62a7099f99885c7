/// Where a text stops being a JSON value that we take, and what would have been right there.
struct JSONFault: Error {
    enum Kind {
        case malformed
        case invalidUTF8
        case nestingTooDeep
    }

    let kind: Kind
    /// The offset of the first wrong byte; the length of the text where it ends too early.
    let offset: Int
    /// What would have been right; for ``Kind/malformed`` only.
    let expected: StaticString
}
