import Foundation
import RoomModel

extension NameColor {
    /// Between these luminances (WCAG 2.2) a colour has a contrast of at least 4.5:1 with black and with white, also once it
    /// is rounded: most terminals do not tell which of them is the background.
    private static let readable = 0.177...0.181

    /// The contrast with black, or with white, whichever is less.
    var leastContrast: Double {
        let light = self.luminance + 0.05
        return min(light / 0.05, 1.05 / light)
    }

    private var luminance: Double {
        let channels = self.linear
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    /// The nearest colour that can be read on a dark background and on a light one.
    var readable: NameColor {
        var channels = self.linear
        let luminance = self.luminance
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

/// A colour in OKLab, where distances are as large as they look: <https://bottosson.github.io/posts/oklab/>.
struct PerceivedColor: Sendable {
    private let lightness: Double
    private let greenToRed: Double
    private let blueToYellow: Double

    init(_ color: NameColor) {
        let light = color.linear
        let long = cbrt(0.412_221_470_8 * light[0] + 0.536_332_536_3 * light[1] + 0.051_445_992_9 * light[2])
        let medium = cbrt(0.211_903_498_2 * light[0] + 0.680_699_545_1 * light[1] + 0.107_396_956_6 * light[2])
        let short = cbrt(0.088_302_461_9 * light[0] + 0.281_718_837_6 * light[1] + 0.629_978_700_5 * light[2])
        self.lightness = 0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short
        self.greenToRed = 1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short
        self.blueToYellow = 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short
    }

    func distance(to other: PerceivedColor) -> Double {
        let differences = [
            self.lightness - other.lightness, self.greenToRed - other.greenToRed,
            self.blueToYellow - other.blueToYellow,
        ]
        return differences.reduce(0) { $0 + $1 * $1 }
    }
}
