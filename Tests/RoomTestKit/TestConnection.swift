import Foundation
package import NIOCore
import RoomModel

/// A client in a test: the verbs of a connection, and what it has received.
package final class TestConnection {
    package let broker: TestBroker
    private let endpoint: Endpoint
    /// `nil`: it speaks lines.
    package let webSocket: TestWebSocket?
    /// `nil`: it speaks lines, or by WebSocket.
    package let events: TestEventStream?
    private var inbox: [ReceivedFrame] = []
    private var lastCallback = 0
    /// Received lines that are no JSON frames.
    package private(set) var strayLines: [String] = []
    /// Frames of this connection are in the dump where there is one.
    package var isDumped = true

    init(
        broker: TestBroker,
        endpoint: Endpoint,
        webSocket: TestWebSocket? = nil,
        events: TestEventStream? = nil
    ) {
        self.webSocket = webSocket
        self.events = events
        self.broker = broker
        self.endpoint = endpoint
    }

    // MARK: Sending

    /// Sends a frame; the broker has not handled it on return.
    package func send(_ frame: String) {
        if self.isDumped { FrameDump.shared?.write(.client, frame) }
        if let webSocket {
            self.sendBytes(webSocket.message(frame))
        } else if let events {
            events.post(frame)
        } else {
            self.sendBytes(frame + "\n")
        }
    }

    /// Sends what need not be a frame.
    package func sendBytes(_ text: String) {
        self.sendBytes(ByteBuffer(string: text))
    }

    package func sendBytes(_ bytes: ByteBuffer) {
        self.broker.send(bytes, from: self.endpoint)
    }

    /// Sends a frame with a callback of its own, lets the broker run, and gives the reply.
    ///
    /// - Parameter fields: those of the frame, without braces and callback.
    @discardableResult
    package func request(_ fields: String) -> ReceivedFrame? {
        let callback = self.post(fields)
        return self.reply(to: callback)
    }

    /// Sends a frame with a callback of its own.
    ///
    /// - Returns: the callback.
    package func post(_ fields: String) -> Int {
        self.lastCallback += 1
        self.send("{\(fields),\"callback\":\(self.lastCallback)}")
        return self.lastCallback
    }

    // MARK: Receiving

    /// Calls `body` whenever the broker has written something to the client.
    package func onBytes(_ body: @escaping () -> Void) {
        self.endpoint.socket.onBytes = body
    }

    /// Takes the reply to a callback out of what was received.
    package func reply(to callback: Int) -> ReceivedFrame? {
        self.read()
        guard let index = self.inbox.firstIndex(where: { $0.callback == callback }) else { return nil }
        return self.inbox.remove(at: index)
    }

    /// Takes all frames that were received and not taken yet.
    package func receive() -> [ReceivedFrame] {
        self.read()
        defer { self.inbox = [] }
        return self.inbox
    }

    private func read() {
        self.broker.run()
        for line in self.receivedLines() {
            if let frame = ReceivedFrame(line) {
                if self.isDumped { FrameDump.shared?.write(.broker, line) }
                self.inbox.append(frame)
            } else {
                self.strayLines.append(line)
            }
        }
    }

    /// The lines that were received, of a client that speaks no JSON.
    package func receiveLines() -> [String] {
        self.broker.run()
        return self.receivedLines()
    }

    private var unfinished = ByteBuffer()

    private func receivedLines() -> [String] {
        if let webSocket { return webSocket.messages(in: self.endpoint.socket.takeReceived()) }
        if let events { return events.messages(in: self.endpoint.socket.takeReceived()) }
        self.unfinished.writeImmutableBuffer(self.endpoint.socket.takeReceived())
        var lines: [String] = []
        while let line = self.unfinished.readLine() { lines.append(line) }
        return lines
    }

    /// The bytes that were received and are in no line.
    package var rest: ByteBuffer {
        self.unfinished.writeImmutableBuffer(self.endpoint.socket.takeReceived())
        return self.unfinished
    }

    package var socket: TestSocket { self.endpoint.socket }

    /// Whether the broker reads from this connection.
    package var isRead: Bool { self.endpoint.isRead }
    /// The broker has closed the connection, or its half of it.
    package var isClosed: Bool {
        self.broker.run()
        return self.endpoint.isOutputClosed
    }

    /// Nothing is left of the connection.
    package var isGone: Bool {
        self.broker.run()
        return !self.endpoint.isOpen
    }

    // MARK: Misbehaving

    /// The client reads nothing: the kernel takes so many bytes more.
    package func stopReading(after bytes: Int = 0) {
        self.broker.run()
        self.endpoint.socket.limit(to: bytes)
    }

    /// The client reads so many bytes more, and no others.
    package func read(bytes: Int) {
        self.endpoint.socket.limit(to: bytes)
        self.endpoint.socket.drain()
        self.broker.run()
    }

    package func readOn() {
        self.endpoint.socket.readAll()
        self.broker.run()
    }

    /// The client sends nothing more (FIN) and reads on.
    package func halfClose() {
        self.broker.send(ByteBuffer(), from: self.endpoint)
        self.endpoint.endInput()
        self.broker.run()
    }

    /// The connection is reset, from one moment to the next.
    package func drop() {
        self.broker.run()
        if self.endpoint.isOpen { self.endpoint.drop() }
        self.broker.run()
    }

    /// The connection is reset when the broker has read what was sent, before it can answer.
    package func dropBeforeAnswer() {
        self.broker.deliverInput()
        if self.endpoint.isOpen { self.endpoint.drop() }
    }

    /// Writes fail with this error from now on.
    package func breakSocket(_ errorNumber: CInt = ECONNRESET) {
        self.endpoint.socket.breakDown(errorNumber)
    }
}

extension ByteBuffer {
    /// By `memchr`: a view's bytes one by one take most of the time of a debug build.
    fileprivate mutating func readLine() -> String? {
        let length = self.withUnsafeReadableBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let end = memchr(start, 0x0a, bytes.count) else { return nil }
            return UnsafeRawPointer(end) - start
        }
        guard let length, let line = self.readString(length: length) else { return nil }
        self.moveReaderIndex(forwardBy: 1)
        return line
    }
}
