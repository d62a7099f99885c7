import NIOCore
import RoomModel
import RoomWire

/// The line framer finds the same lines however the bytes are split: those of a simple rule that sees all of them at once.
enum LinesFuzz: FuzzTarget {
    static let name = "lines"

    private enum Event: Equatable {
        case line([UInt8])
        case tooLong
        case endless
        /// The end of the connection within a line.
        case unfinished([UInt8])
    }

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        var random = InputRandom(bytes)
        for (line, endless) in [(10, 24), (16, 16), (1_000, 4_000)] {
            var limits = FrameLimits()
            (limits.line, limits.endlessLine) = (line, endless)
            let expected = self.expected(bytes, line: line, endless: endless)
            try demand(self.events([bytes.buffer], limits) == expected, "in one piece, limits \(line) and \(endless)")
            let pieces = bytes.pieces(using: &random)
            try demand(self.events(pieces, limits) == expected, "in \(pieces.count) pieces, \(line) and \(endless)")
        }
    }

    private static func events(_ pieces: [ByteBuffer], _ limits: FrameLimits) -> [Event] {
        var framer = LineFramer(limits: limits)
        var events: [Event] = []
        for piece in pieces {
            framer.append(piece)
            while let line = framer.next() {
                switch line {
                case .line(let bytes): events.append(.line(Array(buffer: bytes)))
                case .tooLong: events.append(.tooLong)
                case .endless: events.append(.endless)
                }
            }
        }
        if let rest = framer.takeUnfinished() { events.append(.unfinished(Array(buffer: rest))) }
        return events
    }

    private static func expected(_ bytes: UnsafeRawBufferPointer, line: Int, endless: Int) -> [Event] {
        var events: [Event] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, whole) in lines.enumerated() {
            let content = Array(whole.last == UInt8(ascii: "\r") ? whole.dropLast() : whole)
            let isEnded = index < lines.count - 1
            if content.count > line {
                events.append(.tooLong)
                if whole.count > endless { return events + [.endless] }
            } else if isEnded {
                events.append(.line(content))
            } else if !whole.isEmpty {
                events.append(.unfinished(content))
            }
        }
        return events
    }
}
