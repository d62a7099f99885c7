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
        let escape = { (scalar: Unicode.Scalar) in
            "\\\(scalar.value > 0xffff ? "U" : "u")\(TerminalText.hexadecimal(scalar.value))"
        }
        guard TerminalText.escaped(self, escape) == self else {
            // as bash and zsh have it
            return "$'" + TerminalText.escaped(self.replacing(/['\\]/) { "\\" + $0.output }, escape) + "'"
        }
        return "'" + self.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
