extension RoomClient {
    /// Connects, runs `body`, and closes the client when `body` returns or throws.
    ///
    /// - Parameter body: receives this client.
    /// - Returns: the value that `body` returns.
    /// - Throws: ``RoomClientError`` if the first attempt to connect fails; the error that `body` throws.
    nonisolated(nonsending)
        public func withConnection<Value>(_ body: (RoomClient) async throws -> Value) async throws -> Value
    {
        do {
            try await self.connect()
            let value = try await body(self)
            await self.close()
            return value
        } catch {
            await self.close()
            throw error
        }
    }

    /// Joins a room whose messages can be any JSON, runs `body`, and leaves the room when `body` returns or throws, also in a
    /// cancelled task.
    ///
    /// - Parameters:
    ///   - name: the name of the room, as for ``join(_:history:since:presence:)``.
    ///   - history: the number of newest messages that the feeds begin with; at most 100.
    ///   - since: the position at which an earlier run of the app stopped; `history` is ignored then.
    ///   - presence: whether to be shown who is in the room.
    ///   - body: receives the room.
    /// - Returns: the value that `body` returns.
    /// - Throws: ``RoomClientError`` if the client cannot join the room; the error that `body` throws.
    nonisolated(nonsending)
        public func withRoom<Value>(
            _ name: String,
            history: Int = 0,
            since: RoomPosition? = nil,
            presence: Bool = true,
            _ body: (Room<JSON>) async throws -> Value
        ) async throws -> Value
    {
        try await self.withRoom(name, of: JSON.self, history: history, since: since, presence: presence, body)
    }

    /// Joins a room whose messages have one type, runs `body`, and leaves the room when `body` returns or throws, also in a
    /// cancelled task.
    ///
    /// - Parameters:
    ///   - name: the name of the room, as for ``join(_:of:history:since:presence:)``.
    ///   - type: the type of the messages.
    ///   - history: the number of newest messages that the feeds begin with; at most 100.
    ///   - since: the position at which an earlier run of the app stopped; `history` is ignored then.
    ///   - presence: whether to be shown who is in the room.
    ///   - body: receives the room.
    /// - Returns: the value that `body` returns.
    /// - Throws: ``RoomClientError`` if the client cannot join the room; the error that `body` throws.
    nonisolated(nonsending)
        public func withRoom<Body: Decodable & Sendable, Value>(
            _ name: String,
            of type: Body.Type,
            history: Int = 0,
            since: RoomPosition? = nil,
            presence: Bool = true,
            _ body: (Room<Body>) async throws -> Value
        ) async throws -> Value
    {
        let room = try await self.join(name, of: type, history: history, since: since, presence: presence)
        do {
            let value = try await body(room)
            await room.leave()
            return value
        } catch {
            await room.leave()
            throw error
        }
    }
}
