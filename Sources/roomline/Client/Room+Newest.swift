import RoomClient

extension Room {
    /// The newest messages up to a place, the oldest of them first; as many pages as that takes.
    func newest(_ count: Int, upTo position: RoomPosition) async throws(RoomClientError) -> [RoomMessage<Body>] {
        var messages: [RoomMessage<Body>] = []
        // Where it ends: at the first message, or where the history does.
        var before: UInt64? = position.seq < .max ? position.seq + 1 : nil
        while messages.count < count, before != 1 {
            let page = try await self.history(before: before, limit: min(count - messages.count, 1_000))
            messages = page.messages + messages
            guard page.hasMore, let first = page.seqs?.lowerBound else { break }
            before = first
        }
        return messages
    }
}

extension RoomMessage {
    /// Whether a reader that has got to that place has it already.
    func isBefore(_ position: RoomPosition?) -> Bool {
        guard let own = self.position, let position else { return false }
        return own.epoch == position.epoch && own.seq <= position.seq
    }
}
