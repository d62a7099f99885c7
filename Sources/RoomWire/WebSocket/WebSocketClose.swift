package import NIOCore

/// The content of a Close frame.
package struct WebSocketClose: Equatable, Sendable {
    /// `nil`: an empty Close.
    package let code: UInt16?
    package let reason: String

    package init(code: UInt16?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    enum Reading: Equatable {
        case close(WebSocketClose)
        case fault(WebSocketFault)
    }

    static func read(_ payload: ByteBuffer) -> Reading {
        guard payload.readableBytes > 0 else { return .close(WebSocketClose(code: nil)) }
        guard let code = payload.getInteger(at: payload.readerIndex, as: UInt16.self) else {
            return .fault(.rule("half a close code"))
        }
        guard Self.isAllowed(code) else { return .fault(.rule("\(code) is not a close code that may be sent")) }
        let text = payload.readableBytesView.dropFirst(2)
        guard let reason = String(validating: text, as: UTF8.self) else {
            return .fault(WebSocketFault(closeCode: 1007, text: "the reason of a Close has to be UTF-8"))
        }
        return .close(WebSocketClose(code: code, reason: reason))
    }

    /// Whether the code may be in a Close frame: it is registered, or of the ranges for libraries and applications. 1004
    /// has no meaning; 1005, 1006 and 1015 are for programs to tell what they did not find in a frame.
    static func isAllowed(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Writes the payload of the Close frame: the reason ends, if it has to, behind the last character that fits.
    package func write(into buffer: inout ByteBuffer) {
        guard let code = self.code else { return }
        buffer.writeInteger(code)
        var reason = self.reason
        if reason.utf8.count > Self.reasonLimit {
            var end = reason.utf8.index(reason.startIndex, offsetBy: Self.reasonLimit)
            while end.samePosition(in: reason.unicodeScalars) == nil { end = reason.utf8.index(before: end) }
            reason = String(reason[..<end])
        }
        buffer.writeString(reason)
    }

    private static let reasonLimit = WebSocketHead.controlLimit - 2
}
