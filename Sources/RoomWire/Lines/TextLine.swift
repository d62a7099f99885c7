package import NIOCore

/// A line of a plain-text client (protocol §4).
package enum TextLine: Equatable, Sendable {
    /// `iam:NAME`
    case name(String)
    /// `msg:TEXT`
    case message(String)
    /// Any other line.
    case other(String)
    /// A line that begins with `{`: JSON is for connections that begin with it.
    case json
    /// Nothing, or what is no UTF-8.
    case blank
    case invalidUTF8

    /// Control characters are dropped, blanks around a name too.
    package init(_ line: ByteBuffer) {
        guard let whole = String(validating: line.readableBytesView, as: UTF8.self) else {
            self = .invalidUTF8
            return
        }
        let text = whole.withoutControls(replacement: nil)
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            self = .blank
        } else if text.utf8.first == UInt8(ascii: "{") {
            self = .json
        } else if text.hasPrefix("iam:") {
            self = .name(Self.trimmed(text.dropFirst(4)))
        } else if text.hasPrefix("msg:") {
            self = .message(String(text.dropFirst(4)))
        } else {
            self = .other(text)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// The text without what could forge a line or a terminal escape. Tabs, U+2028 and U+2029 become spaces.
    ///
    /// - Parameter replacement: stands for each other character of C0, DEL and C1; `nil`: they are dropped.
    func withoutControls(replacement: Unicode.Scalar?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in self.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x2028, 0x2029: result.append(" ")
            case 0..<0x20, 0x7f..<0xa0: if let replacement { result.append(replacement) }
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
