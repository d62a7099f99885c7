/// Where a text stops being a JSON value that we take, and what would have been right there.
package struct JSONFault: Error {
    package enum Kind {
        case malformed
        case invalidUTF8
        case nestingTooDeep
    }

    package let kind: Kind
    /// The offset of the first wrong byte; the length of the text where it ends too early.
    package let offset: Int
    /// The input that would have been right; for ``Kind/malformed`` only.
    let expected: StaticString
}
