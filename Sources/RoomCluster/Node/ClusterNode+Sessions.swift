import NIOConcurrencyHelpers
import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel

/// Clients that come here with a session of another node.
extension ClusterNode: SessionExchange {
    package func takeOver(
        _ token: String,
        in channel: ChannelID,
        of node: NodeNumber,
        _ answered: @escaping @Sendable (SessionElsewhere) -> Void
    ) {
        self.link.ask(node, NodeRequest.session(token: token, channel).bytes) { [weak self] bytes in
            answered(SessionElsewhere(answer: bytes, heardBefore: self?.silence(of: node)))
        }
    }

    package func claim(_ client: ClientID, resumes: UInt32, of node: NodeNumber) -> Bool {
        self.others.withLockedValue { $0.past.claim(client, resumes: resumes, of: node) }
    }

    package func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool {
        self.noteExpelled(client)
        let question = NodeRequest.expel(client, channel, reason: reason)
        let others = self.others.withLockedValue { Set($0.newest.keys) }.subtracting([self.number])
        return await withTaskGroup(of: Bool.self) { group in
            for node in others {
                group.addTask { await self.ask(node, question).map(ExpelAnswer.wasHere) ?? false }
            }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    /// Has another node tell which nodes it has heard before this one was there: clients may come with their sessions.
    func askForPast(_ node: NodeNumber) {
        self.link.ask(node, NodeRequest.past.bytes) { [weak self] bytes in
            guard let told = bytes.flatMap(PastNodes.Told.init) else { return }
            let now = NIODeadline.now().uptimeNanoseconds
            self?.others.withLockedValue { $0.past.learn(told, now: now) }
        }
    }

    /// The node that has the client may be gone before the client comes back.
    private func noteExpelled(_ client: ClientID) {
        let now = NIODeadline.now().uptimeNanoseconds
        self.others.withLockedValue { $0.past.expelled(client, now: now) }
    }

    func ask(_ node: NodeNumber, _ question: NodeRequest) async -> ByteBuffer? {
        await withCheckedContinuation { continuation in
            self.link.ask(node, question.bytes) { continuation.resume(returning: $0) }
        }
    }

    private func silence(of node: NodeNumber) -> Duration? {
        let now = NIODeadline.now().uptimeNanoseconds
        return self.others.withLockedValue { $0.past.silence(of: node, now: now) }
    }

    /// What another node asks of this one.
    func answer(_ bytes: ByteBuffer, _ give: @escaping @Sendable (ByteBuffer) -> Void) {
        switch NodeRequest(bytes) {
        case .session(let token, let channel):
            RoomShard.takeOver(token, in: channel, among: self.shards.withLockedValue(\.self)) { session in
                give(SessionElsewhere.answer(session))
            }
        case .past:
            let now = NIODeadline.now().uptimeNanoseconds
            give(self.others.withLockedValue { $0.past.told(now: now) }.answer)
        case .figures: Task { give(await self.figures().answer) }
        case .expel(let client, let channel, let reason):
            self.noteExpelled(client)
            let shards = self.shards.withLockedValue(\.self)
            Task { give(ExpelAnswer.bytes(wasHere: await shards.expel(client, from: channel, reason: reason))) }
        case .applied(let partition, let place): self.whenApplied(place, in: partition, give)
        case .query(let query):
            let answer = self.lookedAt.withLockedValue(\.self)
            Task { if let document = await answer?(query) { give(document) } }
        case .none: break
        }
    }
}
