import Foundation

/// Finds a text in what is loaded of a room. Pure.
struct MessageSearch: Equatable, Sendable {
    private(set) var text = ""
    /// The number of the entry that is shown.
    private(set) var match: Int?

    mutating func begin(_ text: String, in log: RoomLog) {
        self.text = text
        self.match = nil
        self.older(in: log)
    }

    /// The next match upwards; stays where there is none.
    mutating func older(in log: RoomLog) {
        let found = log.entries.last { entry in
            self.match.map { entry.number < $0 } ?? true && self.matches(entry)
        }
        self.match = found?.number ?? self.match
    }

    mutating func newer(in log: RoomLog) {
        guard let match = self.match else { return }
        self.match = log.entries.first { $0.number > match && self.matches($0) }?.number ?? match
    }

    private func matches(_ entry: ChatEntry) -> Bool {
        guard !self.text.isEmpty, let message = entry.message, message.redaction == nil else { return false }
        return ([message.sender.name] + message.body.lines).contains { !$0.ranges(ofText: self.text).isEmpty }
    }
}

extension String {
    /// Where a text stands in it, in upper or lower case.
    ///
    /// - Parameter isWord: only where no letter or digit is beside it.
    func ranges(ofText text: String, isWord: Bool = false) -> [Range<String.Index>] {
        guard !text.isEmpty else { return [] }
        var ranges: [Range<String.Index>] = []
        var start = self.startIndex
        while let range = self.range(of: text, options: .caseInsensitive, range: start..<self.endIndex) {
            if !isWord || self.isWord(range) { ranges.append(range) }
            start = range.upperBound
        }
        return ranges
    }

    private func isWord(_ range: Range<String.Index>) -> Bool {
        let before = range.lowerBound > self.startIndex ? self[self.index(before: range.lowerBound)] : " "
        let after = range.upperBound < self.endIndex ? self[range.upperBound] : " "
        return ![before, after].contains { $0.isLetter || $0.isNumber }
    }
}

extension MessageBody {
    func mentions(_ name: String) -> Bool {
        self.lines.contains { !$0.ranges(ofText: name, isWord: true).isEmpty }
    }
}
