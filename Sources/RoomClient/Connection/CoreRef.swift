import NIOCore

/// A reference to a client's core that works on every thread.
struct CoreRef: Sendable {
    let tickets: TicketCounter
    private let loop: any EventLoop
    private let core: NIOLoopBoundBox<ClientCore>

    init(_ core: sending ClientCore, loop: any EventLoop, tickets: TicketCounter) {
        self.loop = loop
        self.tickets = tickets
        self.core = NIOLoopBoundBox.makeBoxSendingValue(core, eventLoop: loop)
    }

    /// Runs `work` on the client's event loop, soon; in the order posted.
    func post(_ work: @escaping @Sendable (ClientCore) -> Void) {
        self.loop.execute { work(self.core.value) }
    }
}
