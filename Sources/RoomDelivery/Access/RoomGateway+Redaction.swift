import RoomCore
package import RoomModel

/// The messages of an author, as `ModeratedRooms` says.
extension RoomGateway {
    package func redact(
        _ step: AuthorStep,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> AuthorStep.Receipt {
        let result = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                let redaction = AuthorRedaction(step: step, sender: sender) { continuation.resume(returning: $0) }
                shard.owner.redactions.redact(redaction, in: room)
            }
        }
        let receipt = try result.get()
        if receipt.next == nil { await self.settle(room) }
        return receipt
    }

    package func clients(of user: String, in channel: ChannelID) async -> Set<ClientID> {
        var clients: Set<ClientID> = []
        for shard in self.shards {
            clients.formUnion(
                await withCheckedContinuation { continuation in
                    shard.post { $0.clients(of: user, in: channel) { continuation.resume(returning: $0) } }
                }
            )
        }
        return clients
    }
}
