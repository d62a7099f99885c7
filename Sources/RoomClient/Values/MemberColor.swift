package import RoomModel

/// The colour of a member's name: three channels of 8 bits (sRGB).
public struct MemberColor: Sendable, Hashable {
    package let color: NameColor

    init(_ color: NameColor) {
        self.color = color
    }

    /// Creates a colour from its channels, each from 0 to 255.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.init(NameColor(red: red, green: green, blue: blue))
    }

    /// Creates a colour from a CSS colour: `#2e7d32`, `#fa0`, or a name such as `teal` (CSS Color Module Level 4, §6.1).
    ///
    /// - Throws: ``RoomClientError/Code/invalidField`` if the text is not a colour; the message describes the valid forms.
    public init(_ text: String) throws(RoomClientError) {
        guard let color = NameColor(text) else {
            throw RoomClientError(.invalidField, NameColor.advice(for: text))
        }
        self.init(color)
    }

    /// The default colour for a name. All clients compute the same colour, which is readable on dark and light backgrounds.
    public static func derived(from name: String) -> MemberColor {
        MemberColor(.derived(from: name))
    }

    /// The red channel, 0 to 255.
    public var red: UInt8 { self.color.red }
    /// The green channel, 0 to 255.
    public var green: UInt8 { self.color.green }
    /// The blue channel, 0 to 255.
    public var blue: UInt8 { self.color.blue }
}

extension MemberColor: CustomStringConvertible {
    /// The colour as `#rrggbb`.
    public var description: String { self.color.text }
}

extension MemberColor: Codable {
    /// Encodes the colour as the string `#rrggbb`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }

    /// Decodes a CSS colour. Throws `DecodingError` for every other value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let color = NameColor(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: NameColor.advice(for: text))
        }
        self.init(color)
    }
}
