import DequeModule
import NIOCore
import NIOEmbedded
import RoomModel
import RoomTransport

/// The channel of one test connection with what lies in the network on its way to the broker.
final class Endpoint {
    let socket = TestSocket()
    private let channel: EmbeddedChannel
    private let handler: TestSocketHandler
    private var input: Deque<ByteBuffer> = []
    private var endsInput = false

    init(loop: EmbeddedEventLoop) {
        self.handler = TestSocketHandler(self.socket)
        self.channel = EmbeddedChannel(loop: loop)
    }

    /// - Parameter proxy: where there is one, the handler is made when a PROXY header has come.
    func open(from address: String, proxy: ProxyRule?, _ connection: @escaping (IPAddress?) -> any ChannelHandler) {
        let pipeline = self.channel.pipeline.syncOperations
        pipeline.addHandlerOrTrap(self.handler)
        if let proxy {
            let header = ProxyHeaderHandler(rule: proxy, headerTime: .seconds(10)) {
                try pipeline.addHandler(connection($0))
            }
            pipeline.addHandlerOrTrap(header)
        } else {
            pipeline.addHandlerOrTrap(connection(nil))
        }
        let peer = try? SocketAddress(ipAddress: address, port: 50_000)
        self.channel.remoteAddress = peer
        if let peer { self.channel.connect(to: peer, promise: nil) }
    }

    var isOpen: Bool { self.channel.isActive }
    /// The client has read the broker's end.
    var isOutputClosed: Bool { self.handler.isOutputClosed || !self.channel.isActive }
    var hasInput: Bool { !self.input.isEmpty || self.endsInput }

    /// Whether the broker reads from this connection.
    var isRead: Bool {
        let set = self.channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
        return set.flatMap { $0.value as? Bool } ?? true
    }

    func addInput(_ bytes: ByteBuffer) {
        self.input.append(bytes)
    }

    func endInput() {
        self.endsInput = true
    }

    /// Gives the handler one read's worth of bytes, as the kernel does: at most 64 KiB.
    ///
    /// - Returns: whether the handler has got something.
    func deliverInput() -> Bool {
        guard self.isOpen else {
            self.input = []
            self.endsInput = false
            return false
        }
        guard self.isRead else { return false }
        let pipeline = self.channel.pipeline.syncOperations
        if var first = self.input.popFirst() {
            if let piece = first.readSlice(length: min(65_536, first.readableBytes)) {
                if first.readableBytes > 0 { self.input.prepend(first) }
                pipeline.fireChannelRead(NIOAny(piece))
                pipeline.fireChannelReadComplete()
            }
        } else {
            self.endsInput = false
            self.handler.isInputClosed = true
            if self.handler.isOutputClosed {
                self.channel.close(promise: nil)
            } else {
                pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        return true
    }

    /// The connection is reset.
    func drop() {
        self.channel.close(promise: nil)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// The pipeline of a new channel takes handlers.
    fileprivate func addHandlerOrTrap(_ handler: some ChannelHandler) {
        do {
            try self.addHandler(handler)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
