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

    /// - Parameter columns: how many there are, the cursor's included.
    func view(columns: Int) -> View {
        let columns = max(columns, 2)
        // From the cursor to the left as far as it fits, then from there to the right.
        var view = View(text: "", cursor: 0)
        var left: [Character] = []
        for character in self.before.reversed() {
            guard view.cursor + character.columns < columns else {
                view.isCutLeft = true
                break
            }
            view.cursor += character.columns
            left.append(character)
        }
        view.text = String(left.reversed())
        var width = view.cursor
        for character in self.after {
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
