import Foundation
import NIOCore

/// One connection of a client through the proxy, with the proxy's own to the broker. Confined to the proxy's event loop.
final class ProxiedConnection {
    private let client: any Channel
    private let broker: any Channel
    private var lanes: [ProxyLane] = []

    init(client: any Channel, broker: any Channel) {
        self.client = client
        self.broker = broker
    }

    /// Goes on with what the client has said already.
    func start(_ plan: ProxyPlan, client: ProxyHandler, broker: ProxyHandler) {
        let toBroker = self.lane(from: self.client, to: self.broker, plan.toBroker, FrameTap(.client))
        let toClient = self.lane(from: self.broker, to: self.client, plan.toClient, FrameTap(.broker))
        self.lanes = [toBroker, toClient]
        self.tell(self.broker, endOf: self.client, lane: toBroker)
        self.tell(self.client, endOf: self.broker, lane: toClient)
        broker.attach(toClient)
        client.attach(toBroker)
    }

    private func lane(
        from source: any Channel,
        to sink: any Channel,
        _ plan: LanePlan,
        _ tap: FrameTap?
    ) -> ProxyLane {
        ProxyLane(from: source, to: sink, script: LaneScript(plan), tap: tap) { [weak self] in self?.cut($0) }
    }

    private func tell(_ other: any Channel, endOf channel: any Channel, lane: ProxyLane) {
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            // A peer that a stall cuts off is not told that the other has gone.
            if !lane.isStalled { Self.close(other, .reset) }
        }
    }

    /// From now on forwards faithfully.
    func calmDown() {
        if self.client.isActive && self.broker.isActive {
            for lane in self.lanes { lane.calmDown() }
        } else {
            self.cut(.reset)
        }
    }

    func cut(_ ending: ProxyPlan.Ending) {
        Self.close(self.client, ending)
        Self.close(self.broker, ending)
    }

    /// Both sides have ended.
    var ended: EventLoopFuture<Void> {
        let ends = [self.client.closeFuture, self.broker.closeFuture]
        return EventLoopFuture.andAllComplete(ends, on: self.client.eventLoop)
    }

    static func close(_ channel: any Channel, _ ending: ProxyPlan.Ending) {
        guard channel.isActive else { return }
        if ending == .reset {
            // A socket that lingers for no time ends with a RST. Where that cannot be had, a FIN does.
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        channel.close(promise: nil)
    }
}
