import NIOCore
import RoomModel
import RoomWire
import Testing

@Suite struct LineFramerTests {
    @Test func `whole lines of one read come out in order`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "one\ntwo\r\n\nthree\n"))
        #expect(framer.texts() == ["one", "two", "", "three"])
        #expect(framer.unfinishedBytes == 0)
    }

    @Test func `a line in two reads is one line`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "hel"))
        #expect(framer.next() == nil)
        #expect(framer.unfinishedBytes > 0)
        framer.append(ByteBuffer(string: "lo\nnext"))
        #expect(framer.texts() == ["hello"])
        framer.append(ByteBuffer(string: "\n"))
        #expect(framer.texts() == ["next"])
    }

    @Test func `a CR and its LF may come in two reads`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "hello\r"))
        #expect(framer.next() == nil)
        framer.append(ByteBuffer(string: "\n"))
        #expect(framer.texts() == ["hello"])
    }

    @Test func `only the CR before an LF is dropped, and only one`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "a\rb\r\r\n\r\n"))
        #expect(framer.texts() == ["a\rb\r", ""])
    }

    @Test func `a whole line is a slice of the read buffer`() {
        var framer = LineFramer.make()
        let read = ByteBuffer(string: "one\ntwo\n")
        framer.append(read)
        let line = framer.nextLine()
        let start = read.withUnsafeReadableBytes { $0.baseAddress }
        #expect(line?.withUnsafeReadableBytes { $0.baseAddress } == start)
    }

    @Test func `an unfinished rest does not hold the read buffer`() {
        var framer = LineFramer.make()
        var read = ByteBuffer(string: "one\nrest" + String(repeating: " ", count: 4_000))
        read.moveWriterIndex(to: 8)
        framer.append(read)
        #expect(framer.texts() == ["one"])
        #expect(framer.takeUnfinished().map { $0.capacity < 64 } == true)
    }

    @Test func `the caller may stop in the middle and go on after more was read`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "one\ntwo\nth"))
        #expect(framer.nextText() == "one")
        framer.append(ByteBuffer(string: "ree\nfo"))
        framer.append(ByteBuffer(string: "ur\n"))
        #expect(framer.texts() == ["two", "three", "four"])
    }

    @Test func `an empty read changes nothing`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer())
        #expect(framer.next() == nil)
        framer.append(ByteBuffer(string: "a"))
        #expect(framer.next() == nil)
        framer.append(ByteBuffer())
        #expect(framer.next() == nil)
        #expect(framer.takeUnfinished() == ByteBuffer(string: "a"))
    }
}

/// Lines over the limit: 10 bytes here, and 40 for one without an end.
@Suite struct LineFramerLimitTests {
    @Test(arguments: ["0123456789\n", "0123456789\r\n"])
    func `a line of the limit passes`(text: String) {
        var framer = LineFramer.make(line: 10)
        framer.append(ByteBuffer(string: text))
        #expect(framer.texts() == ["0123456789"])
    }

    @Test func `a longer line is told once and skipped to its LF`() {
        var framer = LineFramer.make(line: 10)
        framer.append(ByteBuffer(string: "0123456789a\nnext\n"))
        #expect(framer.next() == .tooLong)
        #expect(framer.texts() == ["next"])
    }

    @Test func `a longer line is told before its LF has come`() {
        var framer = LineFramer.make(line: 10)
        framer.append(ByteBuffer(string: "0123456789"))
        #expect(framer.next() == nil)
        framer.append(ByteBuffer(string: "ab"))
        #expect(framer.next() == .tooLong)
        #expect(framer.next() == nil)
        #expect(framer.unfinishedBytes == 0)
        framer.append(ByteBuffer(string: "more\nnext\n"))
        #expect(framer.texts() == ["next"])
    }

    @Test func `a CR at the limit waits for what follows it`() {
        var framer = LineFramer.make(line: 10)
        framer.append(ByteBuffer(string: "0123456789\r"))
        #expect(framer.next() == nil)
        framer.append(ByteBuffer(string: "x"))
        #expect(framer.next() == .tooLong)
    }

    @Test func `an endless line ends the framer`() {
        var framer = LineFramer.make(line: 10, endless: 40)
        framer.append(ByteBuffer(repeating: UInt8(ascii: "x"), count: 40))
        #expect(framer.next() == .tooLong)
        #expect(framer.next() == nil)
        framer.append(ByteBuffer(string: "x"))
        #expect(framer.next() == .endless)
        framer.append(ByteBuffer(string: "\nnext\n"))
        #expect(framer.next() == nil)
    }

    @Test func `an endless line in one read is told as in many`() {
        var framer = LineFramer.make(line: 10, endless: 40)
        framer.append(ByteBuffer(string: String(repeating: "x", count: 41) + "\nnext\n"))
        #expect(framer.next() == .tooLong)
        #expect(framer.next() == .endless)
        #expect(framer.next() == nil)
    }

    @Test func `unlimited limits do not trap`() {
        var framer = LineFramer.make(line: .max, endless: .max)
        framer.append(ByteBuffer(string: "a\n"))
        #expect(framer.texts() == ["a"])
    }
}

/// The end of a line without an LF: for plain-text clients that never send one, and at the end of a connection.
@Suite struct LineFramerUnfinishedTests {
    @Test func `the unfinished rest can be taken as a line`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "one\nhello\r"))
        #expect(framer.texts() == ["one"])
        #expect(framer.takeUnfinished() == ByteBuffer(string: "hello"))
        #expect(framer.unfinishedBytes == 0)
        #expect(framer.takeUnfinished() == nil)
    }

    @Test func `nothing is taken while lines wait`() {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(string: "one\ntwo"))
        #expect(framer.takeUnfinished() == nil)
        #expect(framer.nextText() == "one")
    }

    @Test func `nothing is taken of a line that is too long`() {
        var framer = LineFramer.make(line: 2)
        framer.append(ByteBuffer(string: "abc"))
        #expect(framer.next() == .tooLong)
        #expect(framer.next() == nil)
        #expect(framer.takeUnfinished() == nil)
    }

    @Test(arguments: ["é", "€", "🙂", "a🙂"])
    func `a rest that ends inside a character is known`(text: String) {
        let bytes = Array(text.utf8)
        let whole = bytes.count
        for count in 1...whole {
            var framer = LineFramer.make()
            framer.append(ByteBuffer(bytes: bytes[..<count]))
            _ = framer.next()
            let isASCII = bytes[..<count].allSatisfy { $0 < 0x80 }
            #expect(framer.endsInsideCharacter == (count < whole && !isASCII), "\(count) of \(whole) bytes")
        }
    }

    @Test(arguments: [[0x80], [0xff], [0x80, 0x80, 0x80, 0x80], [0xc3, 0x41], []] as [[UInt8]])
    func `bytes that cannot become a character do not wait`(bytes: [UInt8]) {
        var framer = LineFramer.make()
        framer.append(ByteBuffer(bytes: bytes))
        _ = framer.next()
        #expect(!framer.endsInsideCharacter)
    }
}

@Suite struct LineFramerSplitTests {
    private static let stream =
        "{\"a\":1}\n\r\n\nshort\r\n0123456789abcdef\n0123456789abcdefg\nü€🙂\rx\n" + String(repeating: "y", count: 60)
        + "\r\nlast\n0123456789abcdef\r\nrest"

    @Test func `fed byte by byte gives the same lines as whole`() {
        #expect(Self.lines(of: Array(Self.stream.utf8).map { [$0][...] }) == Self.linesOfWhole)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `any split gives the same lines as whole`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        #expect(Self.lines(of: Array(Self.stream.utf8).split(using: &random)) == Self.linesOfWhole)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a caller that stops at random loses nothing`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var framer = LineFramer.make(line: 16, endless: 1_000)
        var lines: [LineFramer.Line] = []
        for piece in Array(Self.stream.utf8).split(using: &random) {
            framer.append(ByteBuffer(bytes: piece))
            while Int.random(in: 0..<3, using: &random) > 0, let line = framer.next() { lines.append(line) }
        }
        while let line = framer.next() { lines.append(line) }
        #expect(lines == Self.linesOfWhole)
    }

    private static let linesOfWhole = lines(of: [Array(stream.utf8)[...]])

    private static func lines(of pieces: [ArraySlice<UInt8>]) -> [LineFramer.Line] {
        var framer = LineFramer.make(line: 16, endless: 1_000)
        var lines: [LineFramer.Line] = []
        for piece in pieces {
            framer.append(ByteBuffer(bytes: piece))
            while let line = framer.next() { lines.append(line) }
        }
        return lines
    }
}

extension LineFramer {
    fileprivate static func make(line: Int = 1_000, endless: Int = 10_000) -> LineFramer {
        var limits = FrameLimits()
        limits.line = line
        limits.endlessLine = endless
        return LineFramer(limits: limits)
    }

    fileprivate mutating func nextLine() -> ByteBuffer? {
        guard case .line(let line) = self.next() else { return nil }
        return line
    }

    fileprivate mutating func nextText() -> String? { self.nextLine().map { String(buffer: $0) } }

    fileprivate mutating func texts() -> [String] {
        var texts: [String] = []
        while let text = self.nextText() { texts.append(text) }
        return texts
    }
}
