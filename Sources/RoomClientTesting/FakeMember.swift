public import RoomClient
import RoomModel

/// Somebody else in the rooms of a ``FakeBroker``.
public struct FakeMember: Sendable {
    /// The `client_id`.
    public let id: String
    let broker: FakeBroker

    private var clientID: ClientID { ClientID(self.id) }

    /// Joins a room: the clients there that are shown the members see it come.
    public func join(_ room: String) async {
        let id = self.clientID
        await self.broker.run { core in
            if let session = core.sessions[id] { core.enter(RoomName(room), session) }
        }
    }

    /// Leaves a room.
    public func leave(_ room: String) async {
        let id = self.clientID
        await self.broker.run { core in
            if let session = core.sessions[id] { core.leave(RoomName(room), session) }
        }
    }

    /// Publishes a message. The member need not be in the room.
    ///
    /// - Returns: the place of the message in the room.
    /// - Throws: `RoomClientError` if the message cannot be written as JSON.
    @discardableResult
    public func publish(_ body: some Encodable, to room: String) async throws(RoomClientError) -> UInt64 {
        let (id, message) = (self.clientID, try JSON(encoding: body).buffer)
        return await self.broker.run { core in
            core.sessions[id].flatMap { core.store(message, from: $0.sender, in: RoomName(room)).seq } ?? 0
        }
    }

    /// Publishes a message that is not stored, such as the place of a cursor.
    ///
    /// - Throws: `RoomClientError` if the message cannot be written as JSON.
    public func publishEphemeral(_ body: some Encodable, to room: String) async throws(RoomClientError) {
        let (id, message) = (self.clientID, try JSON(encoding: body).buffer)
        await self.broker.run { core in
            if let session = core.sessions[id] { core.tell(message, from: session.sender, in: RoomName(room)) }
        }
    }

    /// Tells the clients in a room that this member is typing, or has stopped.
    public func typing(_ isTyping: Bool = true, in room: String) async {
        await self.signal(in: room) { _ in .typing(isTyping) }
    }

    /// Tells the clients in a room that this member has read it up to this place.
    public func markRead(through seq: UInt64, in room: String) async {
        await self.signal(in: room) { .read(through: RoomPosition(epoch: $0, seq: seq)) }
    }

    private func signal(in room: String, _ signal: @escaping @Sendable (_ epoch: String) -> MemberSignal) async {
        let (id, name) = (self.clientID, RoomName(room))
        await self.broker.run { core in
            guard let session = core.sessions[id] else { return }
            core.tell(signal(core.epoch(of: name).description).json.buffer, from: session.sender, in: name)
        }
    }

    /// Changes the member data.
    ///
    /// - Throws: `RoomClientError` if the data cannot be written as JSON.
    public func update(_ data: some Encodable) async throws(RoomClientError) {
        let (id, memberData) = (self.clientID, try JSON(encoding: data).buffer)
        await self.broker.run { core in
            if let session = core.sessions[id] { core.update(session, memberData) }
        }
    }
}
