package import NIOCore
import RoomDelivery
package import RoomModel

/// Stands first in the pipeline of a connection that has to begin with a PROXY header, alone until that has come: only
/// then is it known whose connection this is, and the handlers that count and serve it are made. TLS comes behind the
/// header.
package final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private let rule: ProxyRule
    private let headerTime: TimeAmount
    private let addHandlers: (IPAddress?) throws -> Void
    private var deadline: Scheduled<Void>?
    private var state = State.collecting(ByteBuffer())

    private enum State {
        /// Can transition to: `done`.
        case collecting(ByteBuffer)
        /// The header has come, or the connection is closed for want of one.
        case done
    }

    /// - Parameters:
    ///   - headerTime: from the connect to the end of the header.
    ///   - addHandlers: adds those that serve the connection, for the address of the client; `nil`: it is the peer's
    ///     own.
    package init(rule: ProxyRule, headerTime: TimeAmount, addHandlers: @escaping (IPAddress?) throws -> Void) {
        self.rule = rule
        self.headerTime = headerTime
        self.addHandlers = addHandlers
    }

    package func channelActive(context: ChannelHandlerContext) {
        guard let peer = context.remoteAddress?.address, self.rule.trusted.contains(peer) else {
            self.refuse("the peer is none of the trusted proxies", context)
            return
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.deadline = context.eventLoop.scheduleTask(in: self.headerTime) {
            let (handler, context) = bound.value
            handler.refuse("no PROXY header came in time", context)
        }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .collecting(var bytes) = self.state else { return }
        bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
        switch ProxyHeader.read(bytes) {
        case .needsMore: self.state = .collecting(bytes)
        case .invalid(let reason): self.refuse(reason, context)
        case .header(let header, let length):
            bytes.moveReaderIndex(forwardBy: length)
            self.begin(header, rest: bytes, context)
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            // not worth a report: this is how a balancer finds out that somebody listens
            self.end()
            context.close(promise: nil)
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.end()
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.end()
        context.close(promise: nil)
    }

    private func begin(_ header: ProxyHeader, rest: ByteBuffer, _ context: ChannelHandlerContext) {
        self.end()
        do {
            switch header {
            case .proxyItself: try self.addHandlers(nil)
            case .client(let address): try self.addHandlers(address)
            }
        } catch {
            // the pipeline takes no handlers any more: the connection is on its way out
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
        if rest.readableBytes > 0 {
            context.fireChannelRead(self.wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func refuse(_ reason: String, _ context: ChannelHandlerContext) {
        guard case .collecting = self.state else { return }
        self.end()
        let now = context.eventLoop.now.uptimeNanoseconds
        self.rule.refusals.add(context.remoteAddress?.address, reason: reason, now: now)
        context.close(promise: nil)
    }

    private func end() {
        self.state = .done
        self.deadline?.cancel()
        self.deadline = nil
    }
}
