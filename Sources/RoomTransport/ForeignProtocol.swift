import NIOCore

/// Answers in kind to what took this port for another one. A web page can reach the port: nothing of it may get on.
enum ForeignProtocol {
    /// RFC 9112: a complete response, the connection closes behind it.
    static var httpAnswer: ByteBuffer {
        let text = "This port speaks JSON lines and plain text over TCP, not HTTP.\n"
        return ByteBuffer(
            string: "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n" + text
        )
    }

    /// RFC 8446 §6: a fatal alert, `unexpected_message`.
    static var tlsAlert: ByteBuffer {
        ByteBuffer(bytes: [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a])
    }
}
