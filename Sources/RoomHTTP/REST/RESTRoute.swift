import NIOHTTP1
import RoomModel
import RoomWire

/// The target that a path of Scaledrone's REST names (protocol §1).
///
/// The last name of the path decides, so that a room may be called `publish` or `members`: `/c/publish/publish` publishes
/// into the room `publish`. A `%2F` belongs to a name; `.` and `..` are names like others.
struct RESTRoute: Equatable {
    enum Target: Equatable {
        /// `POST /{channel}/{room}/publish`
        case publish(RoomName)
        /// `POST /{channel}/publish/rooms?r=a&r=b`; each room once, in the order given.
        case publishMany([RoomName])
        /// `GET /{channel}/stats`
        case stats
        /// `GET /{channel}/members`
        case members
        /// `GET /{channel}/rooms`
        case rooms
        /// `GET /{channel}/room-members`
        case roomMembers
        /// `GET /{channel}/{room}/members`
        case membersOfRoom(RoomName)
    }

    let channel: String
    let target: Target

    /// - Parameter path: with its query, as it was sent.
    /// - Throws: `Problem` with 404 where there is nothing of this shape, with 400 where a name cannot be one.
    init(_ path: String, limits: FrameLimits) throws(Problem) {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(names.count) else { throw Self.notFound }
        self.channel = try Self.decode(names[0], "channel")
        switch (names.count, names[1], names[names.count - 1]) {
        case (2, "stats", _): self.target = .stats
        case (2, "members", _): self.target = .members
        case (2, "rooms", _): self.target = .rooms
        case (2, "room-members", _): self.target = .roomMembers
        case (3, "publish", "rooms"):
            self.target = .publishMany(try Self.rooms(parts.count > 1 ? parts[1] : "", limits: limits))
        case (3, let room, "publish"): self.target = .publish(try Self.room(room, limits: limits))
        case (3, let room, "members"): self.target = .membersOfRoom(try Self.room(room, limits: limits))
        default: throw Self.notFound
        }
    }

    var method: HTTPMethod {
        switch self.target {
        case .publish, .publishMany: .POST
        case .stats, .members, .rooms, .roomMembers, .membersOfRoom: .GET
        }
    }

    /// The path without the names in it.
    var pattern: String {
        switch self.target {
        case .publish: "/{channel}/{room}/publish"
        case .publishMany: "/{channel}/publish/rooms"
        case .stats: "/{channel}/stats"
        case .members: "/{channel}/members"
        case .rooms: "/{channel}/rooms"
        case .roomMembers: "/{channel}/room-members"
        case .membersOfRoom: "/{channel}/{room}/members"
        }
    }

    /// For `Allow`.
    var methods: String { self.method == .GET ? "GET, HEAD, OPTIONS" : "OPTIONS, POST" }

    private static let notFound = Problem(
        .notFound,
        .notFound,
        "there is nothing under this path; the paths are /{channel}/{room}/publish, /{channel}/publish/rooms?r=, "
            + "/{channel}/stats, /members, /rooms, /room-members and /{channel}/{room}/members"
    )

    private static func room(
        _ text: Substring,
        limits: FrameLimits,
        plusIsSpace: Bool = false
    ) throws(Problem) -> RoomName {
        let name = try self.decode(text, "room", plusIsSpace: plusIsSpace)
        if let fault = RoomNameRule.fault(in: name, limit: limits.roomName) { throw Problem(fault) }
        return RoomName(name)
    }

    private static func rooms(_ query: Substring, limits: FrameLimits) throws(Problem) -> [RoomName] {
        var rooms: [RoomName] = []
        var seen: Set<RoomName> = []
        for pair in query.split(separator: "&") where pair.hasPrefix("r=") {
            let room = try self.room(pair.dropFirst(2), limits: limits, plusIsSpace: true)
            if seen.insert(room).inserted { rooms.append(room) }
        }
        guard (1...limits.roomsPerFrame).contains(rooms.count) else {
            throw Problem(
                .badRequest,
                .invalidField,
                "name 1 to \(limits.roomsPerFrame) rooms in the query: ?r=first&r=second"
            )
        }
        return rooms
    }

    private static func decode(_ text: Substring, _ what: String, plusIsSpace: Bool = false) throws(Problem) -> String {
        do throws(PercentEncoding.Fault) {
            return try PercentEncoding.decode(text, plusIsSpace: plusIsSpace)
        } catch {
            switch error {
            case .malformed:
                throw Problem(.badRequest, .malformedRequest, "a % in the \(what) has to have two hexadecimal digits")
            case .invalidUTF8:
                throw Problem(.badRequest, .invalidUTF8, "the name of the \(what) is not valid UTF-8")
            }
        }
    }
}
