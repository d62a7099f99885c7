import NIOCore

/// One direction of a connection through the proxy: reads from one channel and writes to the other, as its script says.
/// Confined to the proxy's event loop.
///
/// It reads no more before everything is written, so a client that reads slowly is slow for the broker, too.
final class ProxyLane {
    private let source: any Channel
    private let sink: any Channel
    private var script: LaneScript
    private var tap: FrameTap?
    private var pending = ByteBuffer()
    private var isBusy = false
    private var hasSourceEnded = false
    private let onCut: (ProxyPlan.Ending) -> Void

    init(
        from source: any Channel,
        to sink: any Channel,
        script: LaneScript,
        tap: FrameTap?,
        onCut: @escaping (ProxyPlan.Ending) -> Void
    ) {
        self.source = source
        self.sink = sink
        self.script = script
        self.tap = tap
        self.onCut = onCut
    }

    /// Whether the other side is left in the belief that there is somebody here.
    var isStalled: Bool { self.script.isStalled }

    func received(_ bytes: ByteBuffer) {
        self.tap?.saw(bytes)
        self.pending.writeImmutableBuffer(bytes)
        self.pump()
    }

    func sourceEnded() {
        self.hasSourceEnded = true
        self.pump()
    }

    func calmDown() {
        self.script.calmDown()
        self.pump()
    }

    /// Does what can be done now.
    func pump() {
        guard !self.isBusy else { return }
        switch self.script.next(available: self.pending.readableBytes) {
        case .forward(let count): self.forward(count)
        case .pause(let time):
            self.isBusy = true
            self.source.eventLoop.assumeIsolated().scheduleTask(in: time) { self.goOn() }
        case .read: self.readOn()
        case .stall: break
        case .halfClose:
            self.sink.close(mode: .output, promise: nil)
            self.pump()
        case .discard(let count):
            self.pending.moveReaderIndex(forwardBy: count)
            self.pump()
        case .cut(let ending): self.onCut(ending)
        }
    }

    private func forward(_ count: Int) {
        guard let piece = self.pending.readSlice(length: count) else { return }
        if self.pending.readableBytes == 0 { self.pending = ByteBuffer() }
        self.isBusy = true
        // A failed write is followed by the end of its channel.
        self.sink.writeAndFlush(piece).assumeIsolated().whenSuccess { self.goOn() }
    }

    private func goOn() {
        self.isBusy = false
        self.pump()
    }

    private func readOn() {
        if self.hasSourceEnded {
            self.sink.close(mode: .output, promise: nil)
        } else {
            self.source.read()
        }
    }
}
