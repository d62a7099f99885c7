import Foundation

/// Finds a text in what is loaded of a room. Pure.
struct MessageSearch: Equatable, Sendable {
    private(set) var text = ""
    /// The number of the entry that is shown.
    private(set) var match: Int?
    /// The numbers of all entries that match, as of the last key.
    private var found: [Int] = []

    /// `2 of 5`, counted upwards from the newest; `nil` where nothing matches.
    var place: String? {
        guard let index = self.found.firstIndex(where: { $0 == self.match }) else { return nil }
        return "\(self.found.count - index) of \(self.found.count)"
    }

    mutating func begin(_ text: String, in log: ChatLog) {
        self.text = text
        self.match = nil
        self.older(in: log)
    }

    /// The next match upwards; stays where there is none.
    mutating func older(in log: ChatLog) {
        self.look(in: log)
        self.match = self.found.last { number in self.match.map { number < $0 } ?? true } ?? self.match
    }

    mutating func newer(in log: ChatLog) {
        self.look(in: log)
        guard let match = self.match else { return }
        self.match = self.found.first { $0 > match } ?? match
    }

    private mutating func look(in log: ChatLog) {
        self.found = log.entries.filter { self.matches($0) }.map(\.number)
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
