/// A byte as it is, or bytes that were there before.
enum DeflateToken {
    case literal(UInt8)
    case match(length: Int, distance: Int)
}

/// Finds what repeats (LZ77).
enum DeflateMatches {
    private static let shortest = 3
    private static let longest = 258
    private static let farthest = 32_768
    /// So many earlier places are tried for each match.
    private static let tries = 128

    static func tokens(of bytes: [UInt8]) -> [DeflateToken] {
        var tokens: [DeflateToken] = []
        /// The last place of each three bytes, and the one before each place.
        var last: [UInt32: Int] = [:]
        var before = [Int](repeating: -1, count: bytes.count)
        func remember(_ place: Int) {
            guard let key = self.key(bytes, place) else { return }
            before[place] = last[key] ?? -1
            last[key] = place
        }
        func find(_ place: Int) -> (length: Int, distance: Int) {
            guard let key = self.key(bytes, place), var candidate = last[key] else { return (0, 0) }
            var best = (length: 0, distance: 0)
            var tries = self.tries
            while candidate >= 0, place - candidate <= self.farthest, tries > 0 {
                let length = self.common(bytes, candidate, place)
                if length > best.length { best = (length, place - candidate) }
                candidate = before[candidate]
                tries -= 1
            }
            return best
        }
        var place = 0
        while place < bytes.count {
            let match = find(place)
            remember(place)
            // a longer one that begins with the next byte is better
            guard match.length >= self.shortest, find(place + 1).length <= match.length else {
                tokens.append(.literal(bytes[place]))
                place += 1
                continue
            }
            tokens.append(.match(length: match.length, distance: match.distance))
            for covered in place + 1..<place + match.length { remember(covered) }
            place += match.length
        }
        return tokens
    }

    private static func key(_ bytes: [UInt8], _ place: Int) -> UInt32? {
        guard place + self.shortest <= bytes.count else { return nil }
        return UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
    }

    private static func common(_ bytes: [UInt8], _ earlier: Int, _ place: Int) -> Int {
        let end = min(self.longest, bytes.count - place)
        var length = 0
        while length < end, bytes[earlier + length] == bytes[place + length] { length += 1 }
        return length
    }
}
