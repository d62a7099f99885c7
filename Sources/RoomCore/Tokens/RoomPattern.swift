import RoomModel

/// A pattern of a token's `permissions`: a regular expression as Perl has them, to be found anywhere in a room's name.
enum RoomPattern: Equatable, Sendable {
    case literal(LiteralPattern)
    /// For the engine; compiled when the first room is held against it.
    case expression(ExpressionText)
    /// No text that the engine could take.
    case unreadable

    init(_ text: String) {
        self = LiteralPattern(text).map(Self.literal) ?? .expression(ExpressionText(text: text))
    }

    var needsEngine: Bool {
        if case .expression = self { true } else { false }
    }
}

/// A pattern that is plain text but for `^` at its start and `$` or `.*` at its end: what most tokens have. It is
/// compared without the regular expression engine.
struct LiteralPattern: Equatable, Sendable {
    private let text: [UInt8]
    private let startsAtStart: Bool
    private let endsAtEnd: Bool

    /// `nil` where the pattern has more to it. Escapes of punctuation (`\.`) are plain text.
    init?(_ pattern: String) {
        var bytes = Array(pattern.utf8)[...]
        self.startsAtStart = bytes.first == UInt8(ascii: "^")
        if self.startsAtStart { bytes.removeFirst() }
        let rest = Self.takeText(&bytes)
        guard let rest else { return nil }
        self.text = rest
        self.endsAtEnd = bytes.elementsEqual("$".utf8)
        // Anything at all may follow the text, so nothing may just as well.
        guard bytes.isEmpty || self.endsAtEnd || bytes.elementsEqual(".*".utf8) else { return nil }
    }

    /// The name of a room has no line feed, so that `$` is the end of it and `.` any character in it.
    func matches(_ name: RoomName) -> Bool {
        var name = name.text
        return name.withUTF8 { self.matches($0) }
    }

    private func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count >= self.text.count else { return false }
        switch (self.startsAtStart, self.endsAtEnd) {
        case (true, true): return name.elementsEqual(self.text)
        case (true, false): return name.starts(with: self.text)
        case (false, true): return name.suffix(self.text.count).elementsEqual(self.text)
        case (false, false):
            return (0...name.count - self.text.count).contains { start in
                name[start..<start + self.text.count].elementsEqual(self.text)
            }
        }
    }

    /// Takes plain text off the front; `nil` where an operator applies to its last character.
    private static func takeText(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        while let byte = bytes.first, byte != UInt8(ascii: "$"), byte != UInt8(ascii: ".") {
            bytes.removeFirst()
            if byte == UInt8(ascii: "\\") {
                guard let escaped = bytes.popFirst(), Self.isPunctuation(escaped) else { return nil }
                text.append(escaped)
            } else {
                guard !Self.operators.contains(byte) else { return nil }
                text.append(byte)
            }
        }
        return text
    }

    private static let operators = Array("^|?*+()[]{}".utf8)

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

/// The text of a regular expression, compared byte by byte. (Strings are equal to Swift where they look alike; to the
/// engine, and to rooms, é in one character and in two are not.)
struct ExpressionText: Hashable, Sendable {
    let text: String

    static func == (left: ExpressionText, right: ExpressionText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
