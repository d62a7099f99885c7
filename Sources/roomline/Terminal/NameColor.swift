import Foundation
import RoomModel

/// The colour of a name: from `#rrggbb`, `#rgb` or one of CSS's names, or made from the name itself.
struct NameColor: Equatable, Sendable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// - Parameter text: as CSS writes colours, <https://www.w3.org/TR/css-color-4/#named-colors>; `nil` for anything else.
    init?(_ text: String) {
        let word = text.lowercased().filter { $0 != " " }
        let digits = word.hasPrefix("#") ? String(word.dropFirst()) : CSSColors.digits(of: word) ?? ""
        let long = digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : digits
        guard long.count == 6, long.allSatisfy(\.isHexDigit), let number = UInt32(long, radix: 16) else { return nil }
        self.init(number)
    }

    private init(_ number: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16),
            green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number)
        )
    }

    /// The colour of who has not chosen one: the same as the broker gives plain-text clients.
    static func derived(from name: String) -> NameColor {
        let color = DerivedColor(of: name)
        return NameColor(red: color.red, green: color.green, blue: color.blue)
    }
}

extension NameColor {
    /// Between these luminances (WCAG 2.2) a colour has a contrast of at least 3:1 with black and with white.
    private static let readable = 0.12...0.29

    /// The nearest colour that can be read on a dark background and on a light one.
    var readable: NameColor {
        var channels = self.linear
        let luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        if luminance > Self.readable.upperBound {
            channels = channels.map { $0 * Self.readable.upperBound / luminance }
        } else if luminance < Self.readable.lowerBound {
            let white = (Self.readable.lowerBound - luminance) / (1 - luminance)
            channels = channels.map { $0 + (1 - $0) * white }
        }
        let shown = channels.map(Self.encoded)
        return NameColor(red: shown[0], green: shown[1], blue: shown[2])
    }

    /// Red, green and blue as amounts of light, 0 to 1.
    var linear: [Double] {
        [self.red, self.green, self.blue].map { channel in
            let value = Double(channel) / 255
            return value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
    }

    private static func encoded(_ linear: Double) -> UInt8 {
        let value = linear <= 0.003_130_8 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return UInt8(min(max((value * 255).rounded(), 0), 255))
    }
}
