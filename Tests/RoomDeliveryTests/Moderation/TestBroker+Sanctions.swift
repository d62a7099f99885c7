import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// What `RoomGateway` does for moderators, without an `await`: it is on its way on return, and done when the loop has run.
extension TestBroker {
    /// Something to do on one shard; the next step follows when it says that it is done.
    private typealias Step = @Sendable (RoomShard, @escaping @Sendable () -> Void) -> Void

    private static func run(_ steps: ArraySlice<(shard: ShardRef, step: Step)>) {
        guard let first = steps.first else { return }
        first.shard.post { shard in first.step(shard) { Self.run(steps.dropFirst()) } }
    }

    private func onAll(_ work: @escaping @Sendable (RoomShard) -> Void) -> [(shard: ShardRef, step: Step)] {
        self.shards.map { shard in
            (
                shard,
                { shard, done in
                    work(shard)
                    done()
                }
            )
        }
    }

    /// Changes bans, mutes and rules of a channel.
    func moderate(_ channel: String = "test", _ change: (inout ChannelModeration) -> Void) {
        let id = ChannelID.make(channel)
        let before = self.moderation[id] ?? ChannelModeration()
        var after = before
        change(&after)
        let rooms = Set(before.rules.keys).union(after.rules.keys).filter {
            before.rules(of: $0) != after.rules(of: $0)
        }
        let sanctions = SanctionChange(from: before.sanctions, to: after.sanctions)
        self.moderation[id] = after
        Self.run(
            self.shards.map { [after] shard in
                (shard, { $0.moderationChanged(after, in: id, sanctions, rooms: rooms, done: $1) })
            }[...]
        )
    }

    func impose(_ sanction: Sanction, _ channel: String = "test") {
        self.moderate(channel) { $0.sanctions.set(sanction) }
    }

    func lift(_ sanction: Sanction, _ channel: String = "test") {
        self.moderate(channel) { $0.sanctions.remove(sanction.key) }
    }

    func rule(_ room: String, _ rules: RoomRules, _ channel: String = "test") {
        self.moderate(channel) { $0.set(rules, of: RoomName(room)) }
    }

    func kick(_ client: String, from room: String, _ channel: String = "test", reason: String? = nil) {
        let (client, key) = (ClientID(client), RoomKey.make(room, channel: channel))
        let owner = self.shards[Int(key.stableHash % UInt64(self.shards.count))]
        let revoke = self.onAll { $0.revoke(client, in: key.channel) }
        let end = self.onAll { _ = $0.revocationEnded(client, in: key.channel) }
        let kick: Step = { shard, done in
            let ref = shard.context.ref
            shard.owner.acts.perform(.kick(client, reason: reason), in: key, by: .make("mod")) { _ in
                ref.post { _ in done() }
            }
        }
        Self.run((revoke + [(owner, kick)] + end)[...])
    }

    func kick(_ client: String, _ channel: String = "test", reason: String? = nil) {
        let (client, id) = (ClientID(client), ChannelID.make(channel))
        let expel = self.onAll { _ = $0.expel(client, from: id, reason: reason) }
        let end = self.onAll { _ = $0.revocationEnded(client, in: id) }
        Self.run((expel + end)[...])
    }

    func notify(_ text: String, room: String, _ channel: String = "test") {
        let key = RoomKey.make(room, channel: channel)
        self.shards[Int(key.stableHash % UInt64(self.shards.count))].post {
            $0.owner.acts.perform(.notice(Notice(text: text)), in: key, by: .make("mod")) { _ in }
        }
    }
}
