import NIOCore
import RoomWire

/// The members that are in the rooms of a place now.
struct PresentMembers {
    /// A member in one of its rooms; who is in several is met in each.
    struct Presence {
        let room: String
        let member: AdminMember
        /// The member as the broker sent it.
        let json: ByteBuffer

        var tree: JSONTree { .object([.init("room", .string(self.room)), .init("member", .verbatim(self.json))]) }
    }

    private let client: AdminClient
    private let place: PlaceOptions

    init(_ client: AdminClient, in place: PlaceOptions) {
        self.client = client
        self.place = place
    }

    /// Those who are meant, room by room.
    func met(by subject: NamedSubject) async throws -> [Presence] {
        var found: [Presence] = []
        for room in try await self.rooms() {
            try await self.client.forEach("members", of: AdminRequest(.get, self.path(room))) { json in
                let member = try AdminMember(json: json)
                if subject.meets(member) { found.append(Presence(room: room, member: member, json: json)) }
            }
        }
        return found
    }

    /// The one of this id, in the first room that has it.
    func first(_ id: String) async throws -> AdminMember? {
        for room in try await self.rooms() {
            let response = try await self.client.exchange(AdminRequest(.get, self.path(room) + [id]))
            if response.status == 200 { return try AdminMember(json: response.body) }
        }
        return nil
    }

    private func rooms() async throws -> [String] {
        if let room = self.place.room { return [room] }
        var rooms: [String] = []
        try await self.client.forEach("rooms", of: AdminRequest(.get, self.place.path + ["rooms"])) {
            rooms.append(try AdminRoomSummary(json: $0).name)
        }
        return rooms
    }

    private func path(_ room: String) -> [String] { self.place.path + ["rooms", room, "members"] }
}
