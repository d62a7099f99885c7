extension String {
    /// Fit to be shown in a line of a terminal: what would change how the rest is shown stands as its number.
    package var sanitized: String { self.sanitized(alsoEscaping: "") }

    /// - Parameter marks: get a backslash before them.
    func sanitized(alsoEscaping marks: String) -> String {
        var text = ""
        for scalar in self.unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case let scalar where scalar.isUnsafeInLine: text += "\\u{\(String(scalar.value, radix: 16))}"
            case let scalar where marks.unicodeScalars.contains(scalar): text += "\\\(scalar)"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Needs no quotes to be told from what is around it.
    var isPlainWord: Bool {
        !self.isEmpty && self.unicodeScalars.allSatisfy { !$0.isUnsafeInLine && !" \"\\=".unicodeScalars.contains($0) }
    }
}

extension Unicode.Scalar {
    /// Control characters, line separators, and what turns the direction of writing or hides itself.
    var isUnsafeInLine: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
