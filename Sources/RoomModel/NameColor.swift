/// The colour of a name, checked: from `#rrggbb`, `#rgb` or one of CSS's names, or made from the name itself.
package struct NameColor: Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// - Parameter text: as CSS writes colours, <https://www.w3.org/TR/css-color-4/#named-colors>; `nil` for anything else.
    package init?(_ text: String) {
        let word = Self.word(text)
        let digits = word.hasPrefix("#") ? String(word.dropFirst()) : CSSColors.digits(of: word) ?? ""
        let long = digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : digits
        guard long.utf8.count == 6, long.allSatisfy(\.isHexDigit), let number = UInt32(long, radix: 16) else {
            return nil
        }
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16),
            green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number)
        )
    }

    /// The colour of a name for which nobody has chosen one: the same colour for the same name, everywhere. Light enough for
    /// dark terminals, dark enough for white pages.
    package static func derived(from name: String) -> NameColor {
        let hash = StableHash.of(name)
        let channels = [hash, hash >> 8, hash >> 16].map { UInt8(0x40 + $0 % 0x80) }
        return NameColor(red: channels[0], green: channels[1], blue: channels[2])
    }

    /// As in CSS: `#rrggbb`.
    package var text: String {
        "#" + [self.red, self.green, self.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// What is wrong with a text that is no colour, and what would be right.
    package static func advice(for text: String) -> String {
        let nearest = NearestName.of(self.word(text), among: CSSColors.names.sorted())
        let guess = nearest.map { "; did you mean \($0)?" } ?? ""
        return "\(text) is no colour; it has to be like #2e7d32, or a name as CSS has them, such as teal\(guess)"
    }

    private static func word(_ text: String) -> String {
        let bytes = text.lowercased().utf8.drop { $0 == UInt8(ascii: " ") }
        return String(decoding: bytes.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(), as: UTF8.self)
    }
}
