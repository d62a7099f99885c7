import NIOCore

extension WorkloadRun {
    /// The traffic of the workload, over the connections that are open.
    ///
    /// - Parameter open: begins to open a connection to a room.
    func makeTraffic(open: @escaping (_ room: Int) -> Void) -> any Traffic {
        let settings = self.plan.settings
        let text = MarkedText(size: settings.size ?? 0)
        let members = self.places.reduce(into: [Int: Int]()) { if $1.isMember { $0[$1.room, default: 0] += 1 } }
        let publishers = Dictionary(grouping: self.opened.filter { !$0.isMember }, by: \.room)
        switch self.plan.workload {
        case .idle, .churn: return ChurnTraffic(clients: settings.members ?? 1, rooms: settings.rooms ?? 1, open: open)
        case .latency:
            let lanes = (0..<(settings.rooms ?? 1)).map { room in
                OpenLoopTraffic.Lane(
                    room: self.dialer.room(room),
                    members: members[room] ?? 0,
                    publishers: publishers[room] ?? []
                )
            }
            return OpenLoopTraffic(
                lanes,
                self.loop,
                text: text,
                rate: settings.rate ?? 1,
                isWebSocket: self.dialer.isWebSocket
            )
        case .fanout, .rooms, .durable:
            let isAcknowledged = self.plan.workload == .durable
            let lanes = (0..<(settings.rooms ?? 1)).map { room in
                let messages = settings.burst ?? 1
                return BurstTraffic.Lane(
                    loop: BurstLoop(messages: messages, receivers: isAcknowledged ? 1 : members[room] ?? 0),
                    burst: self.burst(of: messages, text, in: room, isAcknowledged: isAcknowledged),
                    publishers: publishers[room] ?? []
                )
            }
            return BurstTraffic(lanes, countsAcknowledgements: isAcknowledged)
        }
    }

    private func burst(of messages: Int, _ text: MarkedText, in room: Int, isAcknowledged: Bool) -> ByteBuffer {
        var frames = OutgoingFrames(isWebSocket: self.dialer.isWebSocket)
        for number in 0..<messages {
            frames.publish(
                text.json(number),
                in: self.dialer.room(room),
                callback: isAcknowledged ? Self.firstCallback + Int64(number) : nil
            )
        }
        return frames.bytes
    }

    /// Above those of the first frames.
    private static let firstCallback: Int64 = 10
}
