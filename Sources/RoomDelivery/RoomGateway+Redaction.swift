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
        throw RequestError(.storageUnavailable, "messages cannot be redacted yet")
    }

    package func clear(_ room: RoomKey, by sender: Sender) async throws(RequestError) -> Epoch {
        throw RequestError(.storageUnavailable, "rooms cannot be cleared yet")
    }
}
