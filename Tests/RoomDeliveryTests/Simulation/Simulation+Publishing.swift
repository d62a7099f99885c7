import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// What the clients and the HTTP side of a simulated run publish.
extension Simulation {
    mutating func publish() {
        let open = self.clients.filter(\.isOpen)
        guard let client = self.draw.one("publisher", of: open, by: \.name),
            let room = self.room(of: client.channel, "room")
        else { return }
        for _ in 0...self.draw.below(4, "more") {
            self.published += 1
            var publication = SimulatedRequest.Publication(room: room, text: "m\(self.published)", isSilent: false)
            if self.draw.chance(40, "has id") {
                publication.messageID = self.id().description
            }
            publication.isSilent = self.draw.chance(20, "silent")
            let isEphemeral = publication.messageID == nil && self.draw.chance(15, "ephemeral")
            let padding = String(repeating: "x", count: self.draw.below(3, "padding") * 150)
            publication.text += padding
            self.ledger.note("\(client.name) publishes m\(self.published) in \(room)")
            if let why = self.prohibition(on: client, in: room) { self.ledger.forbidden[publication.text] = why }
            client.publish(publication, options: isEphemeral ? ",\"ephemeral\":true" : "")
        }
    }

    private mutating func id() -> UniqueID {
        UniqueID(high: self.draw.number("high"), low: self.draw.number("low"))
    }

    /// One of the channel's rooms.
    mutating func room(of channel: String, _ name: String) -> String? {
        self.draw.one(name, of: Self.rooms[channel] ?? [])
    }

    mutating func publishOutside() {
        let channel = self.draw.chance(30, "to plain") ? "plain" : "test"
        guard let name = self.room(of: channel, "room") else { return }
        self.published += 1
        self.ledger.note("the HTTP side publishes m\(self.published) in \(name)")
        self.outside.asked += 1
        let room = RoomKey.make(name, channel: channel)
        self.anyOwner(of: room).owner.publish(
            ByteBuffer(string: "\"m\(self.published)\""),
            to: room,
            by: ExternalPublisher(.rest),
            messageID: self.draw.chance(50, "has id") ? self.id() : nil
        ) { [outside] answer in
            if case .failure(let error) = answer {
                outside.answers.append(error.code)
            } else {
                outside.answers.append(nil)
            }
        }
    }
}
