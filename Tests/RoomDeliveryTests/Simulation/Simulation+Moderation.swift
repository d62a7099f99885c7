import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Moderators of a simulated run: messages are redacted, and rooms are cleared once in a while.
extension Simulation {
    mutating func moderate() {
        if self.draw.chance(8, "clears") {
            self.clearRoom()
        } else {
            self.redact()
        }
    }

    private mutating func clearRoom() {
        let channel = self.draw.chance(50, "clears plain") ? "plain" : "test"
        guard let name = self.room(of: channel, "cleared") else { return }
        self.ledger.note("\(name) of \(channel) is cleared")
        let key = RoomKey.make(name, channel: channel)
        self.clears.asked += 1
        self.anyOwner(of: key).owner.acts.perform(.clear, in: key, by: .make("moderator")) { [clears] answer in
            if case .failure(let error) = answer {
                clears.answers.append(error.code)
            } else {
                clears.answers.append(nil)
            }
        }
    }

    /// Mostly one of the newest messages: what is in the window or on its way.
    private mutating func redact() {
        let count = self.ledger.messages.count
        guard count > 0 else { return }
        let reach = self.draw.chance(70, "newest") ? min(count, 30) : count
        let target = self.ledger.messages[count - 1 - self.draw.below(reach, "messages before")]
        let key = RoomKey.make(target.log.room, channel: target.log.channel)
        let reference: MessageReference
        if self.draw.chance(50, "by id"), let id = UniqueID(target.id.utf8) {
            self.ledger.note("\(target.id) of \(target.log) is redacted")
            self.ledger.wants(redacted: target.id)
            reference = .id(id)
        } else {
            self.ledger.note("\(target.seq) of \(target.log) is redacted")
            self.ledger.wants(redacted: target.seq, of: target.log.room, in: target.log.channel)
            reference = .seq(UInt64(target.seq))
        }
        self.redactions.asked += 1
        let act = RoomAct.redact(reference, reason: nil)
        self.anyOwner(of: key).owner.acts.perform(act, in: key, by: .make("moderator")) { [redactions, ledger] result in
            if redactions.isOver { return }
            switch result {
            case .success(let receipt):
                if case .redacted(let redaction) = receipt { ledger.wasRedacted(redaction.targetID.description) }
                redactions.answers.append(nil)
            case .failure(let error):
                redactions.answers.append(error.code)
            }
        }
    }

    /// On any of the nodes.
    mutating func anyOwner(of key: RoomKey) -> RoomShard {
        let shards = self.anyNode().shards
        return shards[Int(key.stableHash % UInt64(shards.count))].onLoop
    }

    func owner(of key: RoomKey) -> RoomShard {
        self.broker.shards[Int(key.stableHash % UInt64(self.broker.shards.count))].onLoop
    }
}
