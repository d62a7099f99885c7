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
        let text = Self.printable(whole)
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

    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case UInt32(UInt8(ascii: "\t")): result.append(" ")
            case 0..<0x20, 0x7f..<0xa0: continue
            case 0x2028, 0x2029: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
