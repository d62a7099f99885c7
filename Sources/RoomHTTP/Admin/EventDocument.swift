import NIOCore
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

/// Events as lines of a server-sent event stream (WHATWG HTML §9.2).
enum EventDocument {
    /// Sent at once, so that the reader sees its request answered, and how long it should wait before it comes back.
    ///
    /// - Parameter hasGap: there were events behind `Last-Event-ID` that are not known any more.
    static func opening(hasGap: Bool) -> ByteBuffer {
        ByteBuffer(string: ": roomline\nretry: 2000\n\n" + (hasGap ? "event: gap\ndata: {}\n\n" : ""))
    }

    /// Sent when nothing else is: it keeps proxies from closing, and finds readers that are gone.
    static let heartbeat = ByteBuffer(string: ":\n\n")
    /// The reader is too slow for what happens; it should come back with its `Last-Event-ID`.
    static let overflow = ByteBuffer(string: "event: overflow\ndata: {}\n\n")

    static func text(_ event: BrokerEvent, of epoch: Epoch) -> ByteBuffer {
        var text = ByteBuffer(string: "id: \(epoch)-\(event.number)\nevent: \(self.word(event.kind))\ndata: ")
        let fields = [JSONTree.Field("time", .time(milliseconds: event.time))] + self.fields(event.kind)
        JSONTree.object(fields).write(to: &text)
        text.writeString("\n\n")
        return text
    }

    /// Events of a room that is followed.
    static func text(_ parts: [FollowedPart]) -> ByteBuffer {
        var text = ByteBuffer()
        for part in parts {
            switch part {
            case .events(let events): text.writeImmutableBuffer(events)
            case .gap(let gap, let epoch):
                text.writeString("id: \(epoch):\(gap.through)\nevent: gap\ndata: ")
                JSONTree.object([
                    .init("epoch", .string("\(epoch)")), .init("from_seq", .integer(gap.from)),
                    .init("to_seq", .integer(gap.through)), .init("reason", .string(gap.reason.rawValue)),
                ])
                .write(to: &text)
                text.writeString("\n\n")
            }
        }
        return text
    }

    /// The number of the event that a `Last-Event-ID` names. An id of another process names none, but events are
    /// missing then.
    static func place(_ text: String, in epoch: Epoch) throws(Problem) -> (after: UInt64?, isOfThisProcess: Bool) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let of = Epoch(parts[0]), let number = UInt64(parts[1]) else {
            throw .invalid("Last-Event-ID is \(text.shown): give the id of an event, as it is")
        }
        return of == epoch ? (number, true) : (nil, false)
    }

    private static func word(_ kind: BrokerEvent.Kind) -> String {
        switch kind {
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .roomChanged: "room_changed"
        case .channelChanged: "channel_changed"
        case .channelRemoved: "channel_removed"
        case .moderated: "moderated"
        }
    }

    private static func fields(_ kind: BrokerEvent.Kind) -> [JSONTree.Field] {
        switch kind {
        case .connected(let channel, let client, let address):
            [
                self.channel(channel), .init("client_id", .string(client.text)),
                .init("address", .optional(address) { .string($0) }),
            ]
        case .disconnected(let channel, let client, let reason):
            [
                self.channel(channel), .init("client_id", .string(client.text)),
                .init("code", .optional(reason.code) { .string($0.rawValue) }), .init("reason", .string(reason.word)),
            ]
        case .roomChanged(let room, let members):
            [
                self.channel(room.channel), .init("room", .string(room.room.text)),
                .init("members", .integer(members)),
            ]
        case .channelChanged(let channel), .channelRemoved(let channel): [self.channel(channel)]
        case .moderated(let action, let channel, let room):
            [
                .init("action", .string(action)), self.channel(channel),
                .init("room", .optional(room) { .string($0.text) }),
            ]
        }
    }

    private static func channel(_ id: ChannelID) -> JSONTree.Field { .init("channel", .string(id.text)) }
}
