/// Pieces of error texts that come from the client: short, and unable to forge a line or a terminal escape.
package enum ErrorText {
    static let excerptLength = 40

    /// The start of a text without its control, format and separator characters.
    package static func excerpt(_ text: some StringProtocol) -> String {
        var excerpt = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if excerpt.count == Self.excerptLength { return String(excerpt) + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: continue
            default: excerpt.append(scalar)
            }
        }
        return String(excerpt)
    }

    /// The kind of a JSON value, for "has to be …, not …".
    package static func kind(ofValue value: UnsafeRawBufferPointer) -> String {
        switch value.first {
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        default: Self.excerpt(String(decoding: value.prefix(Self.excerptLength * 4), as: UTF8.self))
        }
    }
}
