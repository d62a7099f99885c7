/// One press of a key, as far as the line editor knows it.
enum Key: Equatable, Sendable {
    case text(Unicode.Scalar)
    /// A text that was pasted and not typed, as the terminal says.
    case pasted(String)
    /// Ctrl with a letter, in lower case.
    case control(Character)
    /// Alt with a digit, or with one of the letters that ``KeyDecoder`` knows with it.
    case alt(Character)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end
    case wordLeft, wordRight, deleteWordLeft, deleteWordRight
    case pageUp, pageDown
    case altUp, altDown, altEnter
    /// Alone: see ``KeyDecoder/pauseElapsed()``.
    case escape
}

/// Makes keys out of the bytes that a terminal sends, however they are split: UTF-8, the escape sequences of the keys that the
/// line editor knows, bracketed paste. Sequences of other keys, and answers that nobody asked for, vanish.
///
/// The sequences are those of xterm, <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>, and the Linux console's.
struct KeyDecoder: Sendable {
    private enum State: Equatable {
        case ground
        /// Within a character of several bytes.
        case character(expected: Int)
        /// After ESC.
        case escape
        /// After ESC O.
        case functionKey
        /// After ESC [.
        case sequence
        /// After ESC [ [, with which the function keys of the Linux console begin.
        case consoleKey
        /// In a string that ends with BEL or ESC \, such as the answer to a question about colours.
        case string
        /// Between ESC [ 200 ~ and ESC [ 201 ~.
        case paste
    }

    /// More than anybody means to say at once; the rest of a longer paste is dropped.
    private static let longestPaste = 64 * 1024
    /// A sequence that is longer is none.
    private static let longestSequence = 32
    private static let pasteEnd = Array("\u{1b}[201~".utf8)

    private var state = State.ground
    /// The bytes of what has begun.
    private var pending: [UInt8] = []

    init() {}

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { self.decode(byte, into: &keys) }
        return keys
    }

    /// Whether the last byte was ESC. It is the key of that name if nothing follows for a moment: only time can tell.
    var isAfterEscape: Bool { self.state == .escape }

    /// Nothing has followed for a moment.
    mutating func pauseElapsed() -> [Key] {
        guard self.isAfterEscape else { return [] }
        self.state = .ground
        return [.escape]
    }

    private mutating func decode(_ byte: UInt8, into keys: inout [Key]) {
        switch self.state {
        case .ground: self.begin(byte, into: &keys)
        case .character(let expected): self.goOn(byte, expected: expected, into: &keys)
        case .escape: self.escaped(byte, into: &keys)
        case .functionKey, .consoleKey:
            if self.state == .functionKey, let key = Self.key(final: byte, parameters: []) { keys.append(key) }
            self.state = .ground
        case .sequence: self.sequence(byte, into: &keys)
        case .string: self.string(byte, into: &keys)
        case .paste: self.paste(byte, into: &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case 0x1b: self.state = .escape
        case 0x0d, 0x0a: keys.append(.enter)
        case 0x09: keys.append(.tab)
        case 0x08, 0x7f: keys.append(.backspace)
        case 0x01...0x1a: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x00, 0x1c...0x1f: break
        case 0x20...0x7e: keys.append(.text(Unicode.Scalar(byte)))
        case 0xc2...0xdf: self.start(byte, expected: 2)
        case 0xe0...0xef: self.start(byte, expected: 3)
        case 0xf0...0xf4: self.start(byte, expected: 4)
        default: break  // no beginning of a character
        }
    }

    private mutating func start(_ byte: UInt8, expected: Int) {
        self.state = .character(expected: expected)
        self.pending = [byte]
    }

    private mutating func goOn(_ byte: UInt8, expected: Int, into keys: inout [Key]) {
        guard 0x80...0xbf ~= byte else {
            self.state = .ground
            return self.begin(byte, into: &keys)
        }
        self.pending.append(byte)
        guard self.pending.count == expected else { return }
        self.state = .ground
        if let scalar = String(validating: self.pending, as: UTF8.self)?.unicodeScalars.first, scalar.value >= 0xa0 {
            keys.append(.text(scalar))
        }
    }

    private mutating func escaped(_ byte: UInt8, into keys: inout [Key]) {
        self.state = .ground
        self.pending = []
        switch byte {
        case UInt8(ascii: "["): self.state = .sequence
        case UInt8(ascii: "O"): self.state = .functionKey
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            self.state = .string
        case 0x1b: self.state = .escape
        case UInt8(ascii: "b"): keys.append(.wordLeft)
        case UInt8(ascii: "f"): keys.append(.wordRight)
        case UInt8(ascii: "d"): keys.append(.deleteWordRight)
        case UInt8(ascii: "a"), UInt8(ascii: "1")...UInt8(ascii: "9"):
            keys.append(.alt(Character(Unicode.Scalar(byte))))
        case 0x08, 0x7f: keys.append(.deleteWordLeft)
        case 0x0a, 0x0d: keys.append(.altEnter)
        default: self.begin(byte, into: &keys)  // ESC by itself, and then something else
        }
    }

    private mutating func sequence(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "[") where self.pending.isEmpty: self.state = .consoleKey
        case 0x20...0x3f where self.pending.count < Self.longestSequence: self.pending.append(byte)
        case 0x40...0x7e: self.endSequence(byte, into: &keys)
        default:
            self.state = .ground
            self.begin(byte, into: &keys)
        }
    }

    private mutating func endSequence(_ final: UInt8, into keys: inout [Key]) {
        let text = String(decoding: self.pending, as: UTF8.self)
        let parameters = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        self.pending = []
        self.state = .ground
        if final == UInt8(ascii: "~"), parameters.first == 200 {
            self.state = .paste
        } else if let key = Self.key(final: final, parameters: parameters) {
            keys.append(key)
        }
    }

    /// A string that is not for us. Nobody is to be caught in it: Enter and Ctrl-C end it, too.
    private mutating func string(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case 0x07: self.state = .ground
        case 0x1b: self.state = .escape
        case 0x03, 0x0a, 0x0d:
            self.state = .ground
            self.begin(byte, into: &keys)
        default: break
        }
    }

    private mutating func paste(_ byte: UInt8, into keys: inout [Key]) {
        self.pending.append(byte)
        // A terminal that forgets the end must not keep its user: Ctrl-C is one as well.
        let isOver = self.pending.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
        if isOver || byte == 0x03 {
            let text = self.pending.dropLast(isOver ? Self.pasteEnd.count : 1)
            self.state = .ground
            self.pending = []
            if !text.isEmpty { keys.append(.pasted(String(decoding: text, as: UTF8.self))) }
        } else if self.pending.count > Self.longestPaste + Self.pasteEnd.count {
            // Keeps the place of what may be the beginning of the end.
            self.pending.remove(at: Self.longestPaste)
        }
    }
}

extension KeyDecoder {
    /// - Parameter parameters: the second one is a sum: 1, and 1 for shift, 2 for alt, 4 for ctrl.
    private static func key(final: UInt8, parameters: [Int]) -> Key? {
        let isModified = parameters.count > 1 && parameters[1] > 2
        switch final {
        case UInt8(ascii: "A"): return isModified ? .altUp : .up
        case UInt8(ascii: "B"): return isModified ? .altDown : .down
        case UInt8(ascii: "C"): return isModified ? .wordRight : .right
        case UInt8(ascii: "D"): return isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M") where parameters.isEmpty: return .enter  // of the number pad
        case UInt8(ascii: "~"): break
        default: return nil
        }
        switch parameters.first {
        case 1, 7: return .home
        case 4, 8: return .end
        case 3: return isModified ? .deleteWordRight : .delete
        case 5: return .pageUp
        case 6: return .pageDown
        default: return nil
        }
    }
}
