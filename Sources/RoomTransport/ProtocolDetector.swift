import NIOCore
import RoomModel

/// Tells by the first bytes of a connection what speaks there (protocol §4).
enum ProtocolDetector: Equatable, Sendable {
    /// Its first character is a `{`. `skip` bytes before it are no part of a frame.
    case json(skip: Int)
    case text(skip: Int)
    /// An HTTP request: a browser, or somebody who took the port for another one.
    case http
    /// A TLS hello on a port without TLS.
    case tls
    /// Too little to tell; `skip` bytes at the start need not be kept.
    case undecided(skip: Int)

    /// - Parameter paused: nothing more has come for a while, or will come.
    init(_ bytes: ByteBuffer, paused: Bool) {
        let view = bytes.readableBytesView
        if let first = view.first, first == 0x16 {
            self = view.count >= 2 ? (view[view.startIndex + 1] == 0x03 ? .tls : .text(skip: 0)) : .undecided(skip: 0)
            if view.count == 1, paused { self = .text(skip: 0) }
            return
        }
        let mark = ByteOrderMark.bytes
        let hasMark = view.starts(with: mark)
        if !hasMark, view.count < 3, mark.starts(with: view), !view.isEmpty, !paused {
            self = .undecided(skip: 0)
            return
        }
        let blanks = view.dropFirst(hasMark ? 3 : 0).prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }.count
        let skip = (hasMark ? 3 : 0) + blanks
        guard let first = view.dropFirst(skip).first else {
            self = .undecided(skip: skip)
            return
        }
        if first == UInt8(ascii: "{") {
            self = .json(skip: skip)
        } else {
            self = Self.textOrHTTP(view.dropFirst(skip), skip: skip, paused: paused)
        }
    }

    private static func textOrHTTP(_ rest: ByteBufferView, skip: Int, paused: Bool) -> ProtocolDetector {
        guard self.methods.contains(where: { rest.starts(with: $0.utf8) || $0.utf8.starts(with: rest) }) else {
            return .text(skip: skip)
        }
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            guard paused || rest.count > Self.longestUndecided else { return .undecided(skip: skip) }
            // a web page chooses how long its request line is: what begins like one never becomes text
            return self.hasRequestTarget(rest) ? .http : .text(skip: skip)
        }
        // RFC 9112 §3: method SP request-target SP HTTP-version
        let line = rest[..<end].split(separator: UInt8(ascii: " "))
        return line.count >= 3 && line[line.count - 1].starts(with: "HTTP/".utf8) ? .http : .text(skip: skip)
    }

    /// Whether a path, a URL or a `*` follows the method. A text that a person types, such as "GET well soon", has
    /// none.
    private static func hasRequestTarget(_ line: ByteBufferView) -> Bool {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return false }
        let target = line[(space + 1)...]
        return target.first == UInt8(ascii: "/") || target.first == UInt8(ascii: "*")
            || target.prefix(8).starts(with: "http://".utf8) || target.prefix(8).starts(with: "https://".utf8)
    }

    private static let longestUndecided = 8_192

    private static let methods = [
        "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ", "PRI ",
    ]
}
