import Foundation
import RoomModel

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
