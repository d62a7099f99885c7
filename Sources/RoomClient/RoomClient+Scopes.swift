extension RoomClient {
    /// Connects, runs `body`, and closes the client again, however `body` ends.
    ///
    /// - Throws: ``RoomClientError`` where the first attempt to connect fails, and what `body` throws.
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

    /// Joins a room, runs `body` in it, and leaves it again, however `body` ends.
    ///
    /// - Parameters:
    ///   - name: the room's name, as for ``join(_:of:history:since:)``.
    ///   - type: the type of the messages.
    ///   - history: how many of the newest messages come first.
    ///   - body: what to do in the room.
    /// - Throws: ``RoomClientError`` where the room cannot be joined, and what `body` throws.
    nonisolated(nonsending)
        public func withRoom<Body: Decodable & Sendable, Value>(
            _ name: String,
            of type: Body.Type,
            history: Int = 0,
            _ body: (Room<Body>) async throws -> Value
        ) async throws -> Value
    {
        let room = try await self.join(name, of: type, history: history)
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
