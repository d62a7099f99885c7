/// The bounds of a field, beyond what its type says.
package enum FieldRule: Equatable, Sendable {
    case any
    /// An integer of this or more.
    case atLeast(Int)
    /// So large an integer, so many bytes of text, so many elements.
    case within(ClosedRange<Int>)
    /// An integer from 0 to `Int64.max`, so that whoever counts on from it cannot overflow.
    case countable
    /// A JSON value that has to be an object.
    case object
    /// A JSON value that has to be an array of objects.
    case objects
    /// Text of which an error says what it has to be.
    case like(String)
}

/// The JSON that a field can have, as a schema tells it apart.
package indirect enum FieldKind: Equatable, Sendable {
    /// Any JSON value.
    case value
    case text
    /// One of these words.
    case word([String])
    case flag
    case integer
    /// An integer or a fraction.
    case number
    /// Without fields where the description leaves them to others.
    case object([ListedField])
    case array(of: FieldKind)
}

/// One field of a description.
package struct ListedField: Equatable, Sendable {
    package let name: String
    package let isRequired: Bool
    package let kind: FieldKind
    package let rule: FieldRule
}
