extension Character {
    /// How many columns of a terminal it takes: 2 for East Asian wide characters and emoji, 0 for a mark with nothing under it,
    /// else 1. As UAX #11 has it, and as terminals agree on where they agree.
    var columns: Int {
        guard let first = self.unicodeScalars.first else { return 0 }
        if first.isASCII { return self.unicodeScalars.contains(Self.emojiStyle) ? 2 : 1 }
        if first.properties.isEmojiPresentation || first.isWide { return 2 }
        if self.unicodeScalars.contains(Self.emojiStyle), first.properties.isEmoji { return 2 }
        return first.isMark ? 0 : 1
    }

    /// VARIATION SELECTOR-16: what is before it is to be an emoji.
    private static let emojiStyle: Unicode.Scalar = "\u{fe0f}"
}

extension StringProtocol {
    /// How many columns of a terminal it takes in one line.
    var columns: Int {
        self.reduce(0) { $0 + $1.columns }
    }

    /// Blanks behind it make it as wide.
    func padded(to columns: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(columns - self.columns, 0))
    }

    /// As much of the beginning as fits, with an ellipsis where that is not all.
    func shortened(toColumns limit: Int) -> String {
        guard self.columns > limit else { return String(self) }
        var text = ""
        var columns = 0
        for character in self {
            guard columns + character.columns < limit else { break }
            columns += character.columns
            text.append(character)
        }
        return limit > 0 ? text + "…" : ""
    }

    /// As much of the beginning and of the end as fits: names often differ at their end.
    func shortenedInside(toColumns limit: Int) -> String {
        guard self.columns > limit, limit > 2 else { return self.shortened(toColumns: limit) }
        let end = String(self.reversed()).shortened(toColumns: (limit + 1) / 2).dropLast().reversed()
        return self.shortened(toColumns: limit - String(end).columns) + String(end)
    }
}

extension Unicode.Scalar {
    /// Written above, below or around the character before it.
    var isMark: Bool {
        switch self.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Whether it is in one of the blocks of East Asian width W or F. A scalar that is wide as an emoji is not in here.
    fileprivate var isWide: Bool {
        switch self.value {
        case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3: true
        case 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6: true
        case 0x1_6fe0...0x1_8d08, 0x1_b000...0x1_b2ff, 0x1_f200...0x1_f2ff, 0x2_0000...0x3_fffd: true
        default: false
        }
    }
}
