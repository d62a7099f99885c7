package import RoomCore
package import RoomModel

/// Messages that are taken back, as `ModeratedRooms` says.
extension RoomGateway: ModeratedRooms {
    package func redact(
        _ message: MessageReference,
        in room: RoomKey,
        reason: String?,
        by sender: Sender
    ) async throws(RequestError) -> RedactionReceipt {
        let result = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                let redaction = Redaction(message: message, reason: reason, sender: sender) {
                    continuation.resume(returning: $0)
                }
                shard.owner.redactions.redact(redaction, in: room)
            }
        }
        let receipt = try result.get()
        await self.settle(room)
        return receipt
    }

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

    package func clear(_ room: RoomKey, by sender: Sender) async throws(RequestError) -> Epoch {
        let result = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.clear(room, by: sender) { continuation.resume(returning: $0) }
            }
        }
        let epoch = try result.get()
        await self.settle(room)
        return epoch
    }
}
