extension String {
    /// As a word that a shell takes for itself.
    var shellQuoted: String {
        let isPlain = self.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_./:@%+,".utf8.contains(byte)
            }
        }
        if isPlain, !self.isEmpty { return self }
        // by scalar: a mark behind a quote makes a character of both, and for the shell the quote ends the word
        let isSeen = self.unicodeScalars.allSatisfy(TerminalText.isSeen)
        let scalars = self.unicodeScalars.map { scalar -> String in
            if isSeen { return scalar == "'" ? "'\\''" : String(scalar) }
            // as bash and zsh have it
            if TerminalText.isSeen(scalar) { return scalar == "'" || scalar == "\\" ? "\\\(scalar)" : String(scalar) }
            return "\\\(scalar.value > 0xffff ? "U" : "u")\(TerminalText.hexadecimal(scalar.value))"
        }
        return (isSeen ? "'" : "$'") + scalars.joined() + "'"
    }
}
