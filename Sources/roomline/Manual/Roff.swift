/// A manual page as it is written, in the man(7) macros.
struct Roff: Equatable, Sendable {
    /// As wide as the lines of a source should be.
    private static let columns = 80

    private var lines: [String] = []
    /// A heading begins a paragraph by itself.
    private var isAfterHeading = false

    var text: String { self.lines.map { $0 + "\n" }.joined() }

    /// - Parameter date: such as 2026-11-21.
    init(title: String, section: Int, date: String, source: String) {
        self.lines = [
            ".TH \(Self.quoted(title)) \(section) \(date) \(Self.quoted(source))",
            // Text to be typed is neither broken nor stretched.
            ".nh", ".ad l",
        ]
    }

    mutating func section(_ title: String) {
        self.lines.append(".SH \(Self.quoted(title))")
        self.isAfterHeading = true
    }

    mutating func subsection(_ title: String) {
        self.lines.append(".SS \(Self.quoted(title))")
        self.isAfterHeading = true
    }

    /// A paragraph that is filled.
    mutating func paragraph(_ text: String) {
        self.beginParagraph()
        self.lines += Self.filled(text)
    }

    /// Lines that stay as they are.
    mutating func literal(_ lines: [String]) {
        self.beginParagraph()
        self.lines += [".nf"] + lines.map(Self.line) + [".fi"]
    }

    /// A name, and what it is below.
    mutating func item(_ name: String, _ text: String) {
        self.isAfterHeading = false
        self.lines += [".TP", "\\fB\(Self.escaped(name))\\fR"] + Self.filled(text)
    }

    private mutating func beginParagraph() {
        if !self.isAfterHeading { self.lines.append(".PP") }
        self.isAfterHeading = false
    }

    /// Words in lines that a terminal can show.
    private static func filled(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ").map(String.init) {
            if !line.isEmpty, self.line(line + " " + word).count >= self.columns {
                lines.append(line)
                line = word
            } else {
                line += line.isEmpty ? word : " " + word
            }
        }
        return (lines + [line]).map(self.line)
    }

    /// Text that looks like a request at the beginning of a line is none.
    private static func line(_ text: String) -> String {
        let escaped = self.escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func quoted(_ text: String) -> String {
        "\"" + self.escaped(text).replacing("\"", with: "\\(dq") + "\""
    }

    /// In ASCII, and a hyphen as the one that is typed.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            default: scalar.isASCII ? String(scalar) : "\\[u\(Self.digits(scalar))]"
            }
        }.joined()
    }

    /// Four at least, as troff wants them.
    private static func digits(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}
