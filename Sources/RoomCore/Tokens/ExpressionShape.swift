/// How much of the costly kinds of operators a regular expression has, counted without understanding it.
///
/// The engine calls back every 10,000 steps only. What a step costs grows with the groups and counted repeats (each step
/// saves a frame of them) and with the operators that take no step of their own; compiling costs most for properties of
/// characters, each of which becomes a set. With these bounds the time between two calls, and that of compiling, stays
/// below a millisecond.
struct ExpressionShape {
    private var groups = 0
    private var repeats = 0
    private var escapes = 0
    private var properties = 0

    init(_ pattern: String) {
        var previous: UInt8 = 0
        for byte in pattern.utf8 {
            switch byte {
            case UInt8(ascii: "("): self.groups += 1
            case UInt8(ascii: "{"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): self.repeats += 1
            case UInt8(ascii: "["): self.escapes += 1
            case UInt8(ascii: ":") where previous == UInt8(ascii: "["): self.properties += 1
            case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "N"), UInt8(ascii: "X"):
                if previous == UInt8(ascii: "\\") { self.properties += 1 }
            default: break
            }
            if previous == UInt8(ascii: "\\"), Self.isAlphanumeric(byte) { self.escapes += 1 }
            previous = byte
        }
    }

    var isAffordable: Bool {
        self.groups <= 24 && self.repeats <= 48 && self.escapes <= 64 && self.properties <= 8
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
