package import RoomModel

/// The colour in which a member's name is shown. Whoever has one has a colour that every screen can show: what is no colour
/// cannot be made into one.
public struct MemberColor: Sendable, Hashable {
    package let color: NameColor

    package init(_ color: NameColor) {
        self.color = color
    }

    /// Takes the three channels.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.init(NameColor(red: red, green: green, blue: blue))
    }

    /// Reads a colour as CSS writes it: `#2e7d32`, `#fa0`, or one of its names, such as `teal`.
    ///
    /// - Throws: ``RoomClientError/Code/invalidField``, with a message that says what would be right.
    public init(_ text: String) throws(RoomClientError) {
        guard let color = NameColor(text) else {
            throw RoomClientError(.invalidField, NameColor.advice(for: text))
        }
        self.init(color)
    }

    /// The colour of a name for which nobody has chosen one: the same everywhere. It can be read on dark and on light
    /// backgrounds.
    public static func derived(from name: String) -> MemberColor {
        MemberColor(.derived(from: name))
    }

    /// How much red there is.
    public var red: UInt8 { self.color.red }
    /// How much green there is.
    public var green: UInt8 { self.color.green }
    /// How much blue there is.
    public var blue: UInt8 { self.color.blue }
}

extension MemberColor: CustomStringConvertible {
    /// As CSS writes it: `#rrggbb`.
    public var description: String { self.color.text }
}

extension MemberColor: Codable {
    /// Writes `#rrggbb`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }

    /// Reads a colour as CSS writes it. Anything else throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let color = NameColor(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: NameColor.advice(for: text))
        }
        self.init(color)
    }
}
