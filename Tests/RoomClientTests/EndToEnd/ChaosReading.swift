import Foundation
import RoomClient

/// What one reader in a chaos run has got of a room, up to its end.
struct ChaosReading: Sendable {
    /// The text that ends each room.
    static let end = "the end"

    let reader: String
    let room: String
    private(set) var messages: [StoredMessage] = []
    private(set) var ephemeral: [String] = []
    private(set) var gaps: [RoomGap] = []
    /// Whether this way of reading says what is missing.
    private(set) var tellsGaps = false

    private init(reader: String, room: String) {
        self.reader = reader
        self.room = room
    }

    /// - Returns: whether this was the last one.
    private mutating func add(_ message: RoomMessage<String>) -> Bool {
        guard message.seq != nil else {
            self.ephemeral.append(message.text ?? "")
            return false
        }
        self.messages.append(StoredMessage(message))
        return message.text == Self.end
    }

    /// - Parameter pause: called after every so many messages.
    static func messages(
        of room: Room<String>,
        by name: String,
        every count: Int = .max,
        pause: (Int) async -> Void = { _ in }
    ) async -> ChaosReading {
        var reading = ChaosReading(reader: "\(name)'s messages", room: room.name)
        for await message in room.messages {
            if reading.add(message) { break }
            if reading.messages.count.isMultiple(of: count) { await pause(reading.messages.count / count) }
        }
        return reading
    }

    static func events(of room: Room<String>, by name: String) async -> ChaosReading {
        var reading = ChaosReading(reader: "\(name)'s events", room: room.name)
        reading.tellsGaps = true
        for await event in room.events {
            switch event {
            case .message(let message):
                if reading.add(message) { return reading }
            case .gap(let gap): reading.gaps.append(gap)
            case .signal, .members, .joined, .left, .updated, .redacted, .cleared, .notice, .muteChanged: break
            }
        }
        return reading
    }

    /// Page by page.
    ///
    /// - Parameter more: waits until there may be more than so many messages.
    static func pages(
        of room: Room<String>,
        by name: String,
        more: (Int) async -> Void
    ) async throws -> ChaosReading {
        var reading = ChaosReading(reader: "\(name)'s pages", room: room.name)
        while !Task.isCancelled {
            let page = try await room.history(after: reading.messages.last?.seq ?? 0, limit: 70)
            for message in page.messages where reading.add(message) { return reading }
            if !page.hasMore { await more(reading.messages.count) }
        }
        return reading
    }

    /// In many short stays, which end by leaving and by letting go of the room, in turn.
    static func stays(
        in room: String,
        of client: RoomClient,
        by name: String,
        from start: RoomPosition
    ) async throws -> ChaosReading {
        var reading = ChaosReading(reader: "\(name)'s stays", room: room)
        var position = start
        while !Task.isCancelled {
            for leaves in [true, false] {
                let room = try await client.join(room, of: String.self, since: position)
                if await reading.membershipID(in: room, from: &position) { return reading }
                if leaves { await room.leave() }
            }
        }
        return reading
    }

    /// - Returns: whether the room has come to its end.
    private mutating func membershipID(in room: Room<String>, from position: inout RoomPosition) async -> Bool {
        var left = 40
        for await message in room.messages {
            if self.add(message) { return true }
            position = message.position ?? position
            left -= 1
            if left == 0 { return false }
        }
        return false
    }
}

extension StoredMessage {
    init(_ message: RoomMessage<String>) {
        self.init(
            seq: message.seq ?? 0,
            id: message.id.uuidString.lowercased(),
            text: message.text ?? message.json.description
        )
    }
}
