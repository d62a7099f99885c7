import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCore

/// A client of the simulated cluster: what it knows of its rooms, and what it has published and waits for.
struct SimulatedClient {
    let id: ClientID
    /// The rules of rooms hold for its messages.
    let isGuest: Bool
    /// `nil`: it is not connected.
    private(set) var connection: ConnectionRef?
    /// The node that it is connected to.
    private(set) var node = 0
    /// By the number of the room.
    private(set) var rooms: [Membership]
    /// How many of its joins are not answered.
    private var joins: [Int]
    /// Rooms into which it comes back with its next connection.
    private(set) var wanted: [Int] = []
    /// Messages that it publishes again until they are answered, in the order in which it has sent them.
    var pending: [Message] = []
    private var newest = 0

    enum Membership {
        case outside, joining, joined
    }

    struct Message {
        let number: Int
        let room: Int
        let text: String
        /// `nil`: it is published once.
        let messageID: UniqueID?
        /// Of its newest publish.
        private(set) var attempt: Int64 = 0
        private var attempts = 0

        /// If this one was not stored, it never is.
        var isFirstAttempt: Bool { self.attempts == 1 }

        init(number: Int, room: Int, text: String, messageID: UniqueID?) {
            self.number = number
            self.room = room
            self.text = text
            self.messageID = messageID
        }

        mutating func sent(_ attempt: Int64) {
            self.attempt = attempt
            self.attempts += 1
        }
    }

    init(_ number: Int, isGuest: Bool) {
        self.id = ClientID("client-\(number)")
        self.isGuest = isGuest
        self.rooms = Array(repeating: .outside, count: PartitionSimulation.rooms.count)
        self.joins = Array(repeating: 0, count: self.rooms.count)
    }

    var sender: Sender { .member(self.id, clientData: nil) }

    mutating func connected(_ connection: ConnectionRef, to node: Int) {
        self.connection = connection
        self.node = node
    }

    /// - Returns: the rooms that it was in, or asked to be let into.
    mutating func disconnected() -> [Int] {
        self.connection = nil
        self.wanted = self.rooms.indices.filter { self.rooms[$0] != .outside }
        for room in self.rooms.indices { (self.rooms[room], self.joins[room]) = (.outside, 0) }
        self.pending.removeAll { $0.messageID == nil }
        return self.wanted
    }

    // MARK: Rooms

    mutating func joins(_ room: Int) {
        self.rooms[room] = .joining
        self.joins[room] += 1
    }

    mutating func leaves(_ room: Int) { self.rooms[room] = .outside }

    /// Only the answer to the newest of several joins says whether it is in the room.
    mutating func joinAnswered(_ room: Int, isIn: Bool) {
        self.joins[room] -= 1
        guard self.rooms[room] == .joining, self.joins[room] == 0 else { return }
        self.rooms[room] = isIn ? .joined : .outside
    }

    // MARK: Messages

    /// The next message that it publishes.
    mutating func message(in room: Int, hasID: Bool, bytes: Int) -> Message {
        self.newest += 1
        let text = "\"\(self.id)-\(self.newest)\(String(repeating: ".", count: bytes))\""
        let id = hasID ? UniqueID(high: StableHash.of(self.id.text), low: UInt64(self.newest)) : nil
        return Message(number: self.newest, room: room, text: text, messageID: id)
    }
}
