/// How much of the costly kinds of operators a regular expression has, counted without understanding it.
///
/// Compiling cannot be stopped, and a search only every 10,000 steps. A step saves a frame that grows with the groups and
/// the counted repeats; anchors, references back and the like take no step of their own; each property of characters
/// (`\p{…}`) compiles to a set, in 30 µs or so. With these bounds compiling takes 0.3 ms at most, and of 60,000 random
/// patterns made to be slow the worst took 3.5 ms of the processor until it was stopped, nearly all less than 0.8 ms
/// (docs/decisions/0009).
struct ExpressionShape {
    private var groups = 0
    private var repeats = 0
    private var countedRepeats = 0
    /// Sets, and escapes that are not plain characters.
    private var classes = 0
    private var properties = 0

    init(_ pattern: String) {
        var previous: UInt8 = 0
        for byte in pattern.utf8 {
            self.count(byte, after: previous)
            previous = byte
        }
    }

    var isAffordable: Bool {
        self.groups <= 12 && self.repeats <= 32 && self.countedRepeats <= 12 && self.classes <= 48
            && self.properties <= 6
    }

    private mutating func count(_ byte: UInt8, after previous: UInt8) {
        switch byte {
        case UInt8(ascii: "("): self.groups += 1
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): self.repeats += 1
        case UInt8(ascii: "{"):
            self.repeats += 1
            self.countedRepeats += 1
        case UInt8(ascii: "["): self.classes += 1
        case UInt8(ascii: ":") where previous == UInt8(ascii: "["): self.properties += 1
        default: break
        }
        guard previous == UInt8(ascii: "\\"), Self.isAlphanumeric(byte) else { return }
        self.classes += 1
        if Self.properties.contains(byte) { self.properties += 1 }
    }

    /// `\p`, `\P`, a character by its name, and a grapheme, which needs the tables of text segmentation.
    private static let properties = Array("pPNX".utf8)

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
