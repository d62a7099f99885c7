import RoomModel

/// The colours and the type that a terminal can show.
enum Palette: Equatable, Sendable {
    /// No terminal, or one that knows nothing: no escape codes at all.
    case plain
    /// Bold and dim, but no colours, because somebody has asked to be spared (no-color.org).
    case monochrome
    case ansi16
    case ansi256
    case trueColor

    /// - Parameter isTerminal: whether what is written goes to one.
    init(isTerminal: Bool, environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        let color = environment["COLORTERM"]?.lowercased()
        if !isTerminal || terminal.isEmpty || terminal == "dumb" {
            self = .plain
        } else if !(environment["NO_COLOR"] ?? "").isEmpty || terminal.hasPrefix("vt") {
            self = .monochrome
        } else if color == "truecolor" || color == "24bit" || terminal.hasSuffix("-direct") {
            self = .trueColor
        } else {
            self = terminal.contains("256") ? .ansi256 : .ansi16
        }
    }
}

extension NameColor {
    /// The parameters of the escape sequence that a terminal of this palette takes for the colour; empty where it has none.
    func parameters(in palette: Palette) -> [Int] {
        let color = self.readable
        switch palette {
        case .plain, .monochrome: return []
        case .trueColor: return [38, 2, Int(color.red), Int(color.green), Int(color.blue)]
        case .ansi256: return [38, 5, color.nearestOf256]
        case .ansi16: return color.nearestOf16.map { [$0] } ?? []
        }
    }

    private var nearestOf256: Int {
        let own = PerceivedColor(self)
        let nearest = Self.the256.min { own.distance(to: $0.color) < own.distance(to: $1.color) }
        return nearest?.number ?? 7
    }

    /// Those of the 256 that are the same in every terminal, a cube of 6 × 6 × 6 colours and a ramp of greys, if they can be read
    /// on black and on white. With 4.5:1 there would be six of them.
    private static let the256: [(number: Int, color: PerceivedColor)] = {
        let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = (0..<216).map { index -> NameColor in
            NameColor(red: steps[index / 36], green: steps[index / 6 % 6], blue: steps[index % 6])
        }
        let grays = (UInt8(0)..<24).map { index -> NameColor in
            let level = 8 + 10 * index
            return NameColor(red: level, green: level, blue: level)
        }
        return (cube + grays).enumerated().filter { $0.element.leastContrast >= 4 }.map {
            (16 + $0.offset, PerceivedColor($0.element))
        }
    }()

    /// By hue, one of the six that are colours; a grey has none. Each terminal has its own idea of these, but makes them fit
    /// its background.
    private var nearestOf16: Int? {
        let channels = [Int(self.red), Int(self.green), Int(self.blue)]
        guard let most = channels.max(), let least = channels.min(), (most - least) * 4 > most else { return nil }
        let middle = (most + least) / 2
        let bits = channels.enumerated().reduce(0) { $1.element > middle ? $0 | 1 << $1.offset : $0 }
        return 30 + bits
    }
}
