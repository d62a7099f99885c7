import NIOCore
import RoomAdmin
import RoomJSON
import RoomModel

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

    private static let fewRooms = 100

    private let client: AdminSession
    private let channel: String
    /// `nil`: all that there are.
    private let room: String?

    init(_ client: AdminSession, in place: PlaceOptions) {
        self.init(client, channel: place.channel, room: place.room)
    }

    init(_ client: AdminSession, channel: String, room: String?) {
        self.client = client
        self.channel = channel
        self.room = room
    }

    /// Those who are meant, room by room.
    func met(by subject: NamedSubject) async throws -> [Presence] {
        var found: [Presence] = []
        for room in try await self.rooms() {
            try await self.client.forEach(.members(of: room, in: self.channel)) { json in
                let member = try AdminMember(json: json)
                if subject.matches(member) { found.append(Presence(room: room, member: member, json: json)) }
            }
        }
        return found
    }

    /// The one of this id, in the first room that has it.
    func first(_ id: String) async throws -> AdminMember? {
        for room in try await self.rooms() {
            let response = try await self.client.exchange(AdminCall.member(id, of: room, in: self.channel).request)
            if response.status == 200 { return try AdminMember(json: response.body) }
        }
        return nil
    }

    /// The members of this name.
    func members(named name: String) async throws -> [AdminMember] {
        try await self.members { $0.person.name == name }
    }

    /// An id that may have been meant.
    func id(near id: String) async throws -> String? {
        NearestName.of(id, among: try await self.members { _ in true }.map(\.id))
    }

    private func members(where isMeant: (AdminMember) -> Bool) async throws -> [AdminMember] {
        var members: [AdminMember] = []
        var known: Set<String> = []
        for room in try await self.rooms() {
            try await self.client.forEach(.members(of: room, in: self.channel)) { json in
                let member = try AdminMember(json: json)
                if isMeant(member), known.insert(member.id).inserted { members.append(member) }
            }
        }
        return members
    }

    /// Whether all can be looked at while a person waits.
    func hasFewRooms() async throws -> Bool {
        if self.room != nil { return true }
        let request = AdminRequest(.get, ["channels", self.channel, "rooms"], query: [("limit", "1")])
        let response = try await self.client.exchange(request)
        // Where the channel does not exist, the sanction itself says so.
        guard response.status == 200 else { return false }
        let total: Total = try response.decode()
        return total.total <= Self.fewRooms
    }

    private struct Total: Decodable {
        let total: Int
    }

    private func rooms() async throws -> [String] {
        if let room { return [room] }
        var rooms: [String] = []
        try await self.client.forEach(.rooms(of: self.channel)) {
            rooms.append(try AdminRoomSummary(json: $0).name)
        }
        return rooms
    }
}
