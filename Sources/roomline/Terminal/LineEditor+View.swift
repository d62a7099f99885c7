extension LineEditor {
    /// The part of the line that fits, and where the cursor is in it.
    struct View: Equatable {
        var text: String
        /// In columns from the beginning of `text`.
        var cursor: Int
        /// Whether there is more on that side.
        var isCutLeft = false
        var isCutRight = false
    }

    /// The view of each line, and which one has the cursor.
    ///
    /// - Parameter columns: how many there are, the cursor's included.
    func lineViews(columns: Int) -> (views: [View], cursorLine: Int) {
        let before = self.before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let after = self.after.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let cursorLine = before.count - 1
        let others = { (line: String) in Self.view(before: "", after: line, columns: columns) }
        let current = Self.view(before: before.last ?? "", after: after.first ?? "", columns: columns)
        return (before.dropLast().map(others) + [current] + after.dropFirst().map(others), cursorLine)
    }

    private static func view(before: String, after: String, columns: Int) -> View {
        let columns = max(columns, 2)
        let before = TerminalText.expanded(before)
        let after = TerminalText.expanded(after)
        // From the cursor to the left as far as it fits, then from there to the right.
        var view = View(text: "", cursor: 0)
        var left: [Character] = []
        for character in before.reversed() {
            guard view.cursor + character.columns < columns else {
                view.isCutLeft = true
                break
            }
            view.cursor += character.columns
            left.append(character)
        }
        view.text = String(left.reversed())
        var width = view.cursor
        for character in after {
            guard width + character.columns < columns else {
                view.isCutRight = true
                break
            }
            width += character.columns
            view.text.append(character)
        }
        return view
    }
}
