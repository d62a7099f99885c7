/// A message being typed: its text, the place in it, and the lines entered before. Pure: keys come in, an ``Outcome`` goes out.
///
/// The text never has anything in it that ``TerminalText`` would not show, but for the ends of lines and tabs.
struct LineEditor: Sendable {
    /// The effect of a key.
    enum Outcome: Equatable {
        /// The line may look different now.
        case edited
        /// Nothing is to be done.
        case none
        /// Enter: the line, which is empty now.
        case entered(String)
        /// The pasted text does not fit into a line, and is not there.
        case tooLong
        /// Tab.
        case completionWanted
        /// Ctrl-L.
        case clearScreen
        /// Ctrl-Z.
        case suspended
        /// Ctrl-C where there was nothing to throw away, or Ctrl-D in an empty line.
        case ended
    }

    /// Half of what a broker takes as one message unless it was told otherwise.
    static let longestLine = 32 * 1024

    private(set) var before = ""
    private(set) var after = ""
    private var history = EnteredLines()
    /// The text that was cut last, for Ctrl-Y.
    private var cut = ""

    var text: String { self.before + self.after }
    var isEmpty: Bool { self.before.isEmpty && self.after.isEmpty }

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .text(let scalar): _ = self.insert(String(scalar))
        case .pasted(let text): return self.insert(text) ? .edited : .tooLong
        case .enter: return self.enter()
        case .tab: return .completionWanted
        case .backspace: _ = self.before.popLast()
        case .delete: if !self.after.isEmpty { self.after.removeFirst() }
        case .left: self.moveLeft(1)
        case .right: self.moveRight(1)
        case .home: self.moveLeft(.max)
        case .end: self.moveRight(.max)
        case .wordLeft: self.moveLeft(self.wordToTheLeft)
        case .wordRight: self.moveRight(self.wordToTheRight)
        case .deleteWordLeft: self.cutLeft(self.wordToTheLeft)
        case .deleteWordRight: self.cutRight(self.wordToTheRight)
        case .up: if let line = self.history.older(than: self.text) { self.replace(with: line) }
        case .down: if let line = self.history.newer() { self.replace(with: line) }
        case .control(let letter): return self.control(letter)
        case .altEnter: _ = self.insert("\n")
        case .alt, .altUp, .altDown, .pageUp, .pageDown, .escape: return .none
        }
        return .edited
    }

    private mutating func control(_ letter: Character) -> Outcome {
        switch letter {
        case "a": return self.press(.home)
        case "b": return self.press(.left)
        case "c": return self.throwAway()
        case "d": return self.isEmpty ? .ended : self.press(.delete)
        case "e": return self.press(.end)
        case "f": return self.press(.right)
        case "k": self.cutRight(.max)
        case "l": return .clearScreen
        case "n": return self.press(.down)
        case "p": return self.press(.up)
        case "u": self.cutLeft(.max)
        case "w": self.cutLeft(self.blankToTheLeft)
        case "y": _ = self.insert(self.cut)
        case "z": return .suspended
        default: return .none
        }
        return .edited
    }

    /// Puts something in the place of the last characters before the cursor.
    mutating func complete(replacing count: Int, with text: String) {
        self.before.removeLast(min(count, self.before.count))
        _ = self.insert(text)
    }

    /// - Returns: whether there was room for it.
    private mutating func insert(_ text: String) -> Bool {
        let shown = TerminalText.linesWithTabs(text).joined(separator: "\n")
        guard self.before.utf8.count + self.after.utf8.count + shown.utf8.count <= Self.longestLine else {
            return false
        }
        self.before += shown
        return true
    }

    private mutating func enter() -> Outcome {
        let line = self.text
        self.history.add(line)
        self.replace(with: "")
        return .entered(line)
    }

    /// Ctrl-C: what was typed is gone, though the up arrow brings it back.
    private mutating func throwAway() -> Outcome {
        guard !self.isEmpty else { return .ended }
        _ = self.enter()
        return .edited
    }

    private mutating func replace(with line: String) {
        self.before = line
        self.after = ""
    }
}

/// Moving and cutting by characters as people see them.
extension LineEditor {
    private mutating func moveLeft(_ count: Int) {
        let moved = self.before.suffix(count)
        self.after = moved + self.after
        self.before.removeLast(moved.count)
    }

    private mutating func moveRight(_ count: Int) {
        let moved = self.after.prefix(count)
        self.before += moved
        self.after.removeFirst(moved.count)
    }

    private mutating func cutLeft(_ count: Int) {
        let cut = String(self.before.suffix(count))
        self.before.removeLast(cut.count)
        if !cut.isEmpty { self.cut = cut }
    }

    private mutating func cutRight(_ count: Int) {
        let cut = String(self.after.prefix(count))
        self.after.removeFirst(cut.count)
        if !cut.isEmpty { self.cut = cut }
    }

    private var wordToTheLeft: Int { Self.word(self.before.reversed()) { $0.isLetter || $0.isNumber } }
    private var wordToTheRight: Int { Self.word(self.after) { $0.isLetter || $0.isNumber } }
    private var blankToTheLeft: Int { Self.word(self.before.reversed()) { $0 != " " } }

    /// How many characters it is to the end of the next word.
    private static func word(_ text: some Sequence<Character>, isPart: (Character) -> Bool) -> Int {
        var count = 0
        var isInside = false
        for character in text {
            if isInside && !isPart(character) { break }
            isInside = isInside || isPart(character)
            count += 1
        }
        return count
    }
}
