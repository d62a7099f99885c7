extension String {
    /// The text with U+FFFD for each NUL: a NUL would end it where it is bound to a statement, and two names would be one.
    var withoutNUL: String {
        guard self.utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : $0 }))
    }
}
