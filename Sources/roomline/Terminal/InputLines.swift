import RoomModel

/// Cuts what comes from a pipe into lines, however it is split. A line ends with LF or CR LF; the last one needs no end.
struct InputLines: Sendable {
    enum Line: Equatable {
        case text(String)
        case invalidUTF8
        case tooLong
    }

    private let limit: Int
    private var pending: [UInt8] = []
    private var isTooLong = false
    /// Nothing has been taken yet.
    private var isAtStart = true

    /// - Parameter limit: the bytes that a line can have.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            self.append(rest[..<end])
            lines.append(self.take())
            rest = rest[(end + 1)...]
        }
        self.append(rest)
        return lines
    }

    /// The line that the input ended in; `nil` where it ended after a line.
    mutating func finish() -> Line? {
        self.unmarked.isEmpty && !self.isTooLong ? nil : self.take()
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        // One more, for the CR that is no part of the line.
        self.isTooLong = self.isTooLong || self.pending.count + bytes.count > self.limit + 1
        if self.isTooLong { self.pending = [] } else { self.pending += bytes }
    }

    private var unmarked: ArraySlice<UInt8> {
        self.isAtStart ? self.pending.withoutByteOrderMark : self.pending[...]
    }

    private mutating func take() -> Line {
        defer {
            self.pending = []
            self.isTooLong = false
            self.isAtStart = false
        }
        let line = self.unmarked
        let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if self.isTooLong || bytes.count > self.limit { return .tooLong }
        return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .invalidUTF8
    }
}
