import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// What the clients and the HTTP side of a simulated run publish.
extension Simulation {
    mutating func publish() {
        let open = self.clients.filter(\.isOpen)
        guard let client = open.randomElement(using: &self.random),
            let room = Self.rooms[client.channel]?.randomElement(using: &self.random)
        else { return }
        for _ in 0...self.random.below(4) {
            self.published += 1
            var publication = SimulatedRequest.Publication(room: room, text: "m\(self.published)", isSilent: false)
            if self.random.chance(40) {
                publication.messageID = UniqueID(high: self.random.next(), low: self.random.next()).description
            }
            publication.isSilent = self.random.chance(20)
            let isEphemeral = publication.messageID == nil && self.random.chance(15)
            let padding = String(repeating: "x", count: self.random.below(3) * 150)
            publication.text += padding
            self.ledger.note("\(client.name) publishes m\(self.published) in \(room)")
            if let why = self.prohibition(on: client, in: room) { self.ledger.forbidden[publication.text] = why }
            client.publish(publication, options: isEphemeral ? ",\"ephemeral\":true" : "")
        }
    }

    mutating func publishOutside() {
        let channel = self.random.chance(30) ? "plain" : "test"
        guard let name = Self.rooms[channel]?.randomElement(using: &self.random) else { return }
        self.published += 1
        self.ledger.note("the HTTP side publishes m\(self.published) in \(name)")
        self.outside.asked += 1
        let room = RoomKey.make(name, channel: channel)
        self.anyOwner(of: room).owner.publish(
            ByteBuffer(string: "\"m\(self.published)\""),
            to: room,
            by: ExternalPublisher(.rest),
            messageID: self.random.chance(50) ? UniqueID(high: self.random.next(), low: self.random.next()) : nil
        ) { [outside] answer in
            if case .failure(let error) = answer {
                outside.answers.append(error.code)
            } else {
                outside.answers.append(nil)
            }
        }
    }
}
