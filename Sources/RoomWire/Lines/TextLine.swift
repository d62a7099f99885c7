package import NIOCore

/// A line of a plain-text client (protocol §4).
package enum TextLine: Equatable, Sendable {
    /// `iam:NAME`, in any case, as `msg:` is.
    case name(String)
    /// `msg:TEXT`
    case message(String)
    /// `help`, `/help` or `?` alone, in any case.
    case help
    /// `quit`, `/quit`, `exit` or `/exit` alone, in any case.
    case quit
    /// Any other line.
    case other(String)
    /// A line that begins with `{`: JSON is for connections that begin with it.
    case json
    /// Nothing but blanks, also behind `msg:`.
    case blank
    /// Bytes that are not UTF-8.
    case invalidUTF8

    /// Control characters are dropped; of a name, all that cannot be seen, and blanks around it.
    package init(_ line: ByteBuffer) {
        guard let whole = String(validating: line.readableBytesView, as: UTF8.self) else {
            self = .invalidUTF8
            return
        }
        let text = whole.withoutControls(replacement: nil)
        if text.hasOnlyBlanks {
            self = .blank
        } else if text.utf8.first == UInt8(ascii: "{") {
            self = .json
        } else if let name = text.rest(after: "iam:") {
            self = .name(name.withoutInvisibles())
        } else if let message = text.rest(after: "msg:") {
            self = message.hasOnlyBlanks ? .blank : .message(message)
        } else {
            switch text.withoutOuterBlanks.lowercased() {
            case "help", "/help", "?": self = .help
            case "quit", "/quit", "exit", "/exit": self = .quit
            default: self = .other(text)
            }
        }
    }
}

extension String {
    fileprivate var hasOnlyBlanks: Bool { self.utf8.allSatisfy { $0 == UInt8(ascii: " ") } }

    /// By bytes: a combining character behind the colon belongs to what follows.
    ///
    /// - Parameter word: ASCII in small letters, found in any case.
    fileprivate func rest(after word: String) -> String? {
        guard self.utf8.prefix(word.utf8.count).map({ $0 | 0x20 }).elementsEqual(word.utf8) else { return nil }
        return String(self.unicodeScalars.dropFirst(word.unicodeScalars.count))
    }

    /// The text without what could forge a line or a terminal escape, or have what stands there read in another order. Tabs,
    /// U+2028 and U+2029 become spaces; bidirectional embeddings, overrides and isolates are dropped.
    ///
    /// - Parameter replacement: stands for each other character of C0, DEL and C1; `nil`: they are dropped.
    func withoutControls(replacement: Unicode.Scalar?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in self.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x2028, 0x2029: result.append(" ")
            case 0x202a...0x202e, 0x2066...0x2069: continue
            case 0..<0x20, 0x7f..<0xa0: if let replacement { result.append(replacement) }
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// A name as people see it: without what could make it look like another one. Dropped are the general categories Cc and
    /// Cf (bidirectional controls, zero-width characters) and what has the property Default_Ignorable_Code_Point; of
    /// the categories Z each is a space. There are no blanks around it.
    func withoutInvisibles() -> String {
        if self.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return self.withoutOuterBlanks }
        var result = String.UnicodeScalarView()
        for scalar in self.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format: continue
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: result.append(" ")
            default: if !scalar.properties.isDefaultIgnorableCodePoint { result.append(scalar) }
            }
        }
        return String(result).withoutOuterBlanks
    }

    /// By scalars: one beside a blank can make a character of both.
    fileprivate var withoutOuterBlanks: String {
        var text = self.unicodeScalars[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
