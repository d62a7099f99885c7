import RoomModel

/// How much memory the broker may use for what clients do: the formula of `docs/configuration.md`. Bytes, as the owners count
/// them or by the sizes below; what the allocator needs beyond that is not in it.
///
/// A limit that is switched off makes it `Int.max`.
package struct MemoryBound: Equatable, Sendable {
    /// The numbers of the things whose memory is not limited as a whole.
    package struct Counts: Equatable, Sendable {
        package var loops = 1
        package var channels = 1
        package var connections = 0
        package var httpConnections = 0

        package init(loops: Int = 1, channels: Int = 1, connections: Int = 0, httpConnections: Int = 0) {
            self.loops = loops
            self.channels = channels
            self.connections = connections
            self.httpConnections = httpConnections
        }
    }

    private let limits: BrokerLimits
    /// The bytes of all answers over HTTP that have not been read.
    private let httpUnread: Int
    /// The bytes of all bodies of requests over HTTP.
    private let httpBodies: Int
    /// The header and one read of a request.
    private let httpRequest: Int

    package init(
        _ limits: BrokerLimits,
        httpUnread: Int = 16 << 20,
        httpBodies: Int = 8 << 20,
        httpRequest: Int = (32 + 64) << 10
    ) {
        self.limits = limits
        self.httpUnread = httpUnread
        self.httpBodies = httpBodies
        self.httpRequest = httpRequest
    }

    /// The bytes that each unit of an owner's scale may use.
    package subscript(owner: MemoryOwner) -> Int {
        let limits = self.limits
        return switch owner {
        case .shared: limits.memoryTotal
        case .windows: min(limits.windowTotal, limits.memoryTotal)
        case .publishKeys: min(limits.publishKeysTotal, limits.memoryTotal)
        case .unstored: limits.backlogTotal
        case .unreadReplies: limits.unreadTotal
        case .lingering: min(Self.product(limits.lingeringRooms, Self.entry), limits.memoryTotal)
        case .httpAnswers: self.httpUnread
        case .httpRequests: self.httpBodies
        case .store: Self.pageCaches + Self.reads * (limits.historyBytes + Self.storedKeys)
        case .addresses: Self.rateTables * 10_000 * Self.rate
        case .events: 10_000 * Self.event
        case .pages: Self.pages * Self.page
        case .emptyRooms: min(Self.product(limits.dormantRooms, Self.emptyRoom), limits.memoryTotal)
        case .rooms: min(Self.product(limits.roomsPerChannel, Self.room), self.held)
        case .moderation: 20_000 * Self.rule
        case .connections: Self.connection + Self.uncountedInput + 2 * min(limits.frame.clientData, Self.uncountedData)
        case .input: max(limits.inputTotal, Self.product(2, limits.frame.line))
        case .subscriptions: self.held
        case .httpConnections: Self.connection + self.httpRequest
        }
    }

    /// The part of the shared memory that rooms with members and the places in them may take.
    private var held: Int { self.limits.memoryTotal < .max ? self.limits.memoryTotal / 4 * 3 : .max }

    /// The bytes that an owner may use in all.
    func total(of owner: MemoryOwner, _ counts: Counts) -> Int {
        let factor =
            switch owner.scale {
            case .broker, .part: 1
            case .loop: counts.loops
            case .channel: counts.channels
            case .connection: counts.connections
            case .httpConnection: counts.httpConnections
            }
        return Self.product(self[owner], factor)
    }

    /// The bytes that all owners together may use.
    package func total(_ counts: Counts) -> Int {
        MemoryOwner.allCases.lazy.filter { $0.scale != .part }.reduce(0) { Self.sum($0, self.total(of: $1, counts)) }
    }

    // MARK: Sizes

    /// A room without members, with its name and its places in the tables; measured.
    package static let emptyRoom = 2_048
    /// One with members, on its owner's loop and on that of a member; measured.
    package static let room = 3_072
    /// A connection of either kind, with SwiftNIO's part; measured.
    package static let connection = 8_192
    /// A member's place in a room; measured.
    package static let subscription = 1_024
    /// A session in its grace period, one of its rooms, or 512 bytes of its data; measured.
    package static let entry = 1_024
    /// So much of what a connection has sent, and is not a whole line, is not worth counting.
    package static let uncountedInput = 4_096
    /// So much of a member's data belongs to its connection; what is more takes places of subscriptions, which are shared.
    package static let uncountedData = 2_048

    /// The places that member data of so many bytes takes: it is held as it came, and as others are told of it.
    package static func places(ofData bytes: Int) -> Int {
        (2 * max(0, bytes - Self.uncountedData) + Self.subscription - 1) / Self.subscription
    }

    /// Those that are read, and those that were read lately, with what is encoded of them.
    private static let pages = 32
    package static let page = 256 << 10
    private static let rule = 1_024
    private static let event = 512
    private static let rate = 128
    private static let rateTables = 5
    /// The page caches of SQLite: 16 MiB to write, 2 MiB for each of four readers and for the control file.
    private static let pageCaches = 26 << 20
    /// At a time.
    private static let reads = 4
    /// The bytes that are read of the publish keys of a log that is opened.
    private static let storedKeys = 2 << 20

    static func product(_ left: Int, _ right: Int) -> Int {
        let (value, isHuge) = left.multipliedReportingOverflow(by: right)
        return isHuge ? .max : value
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (value, isHuge) = left.addingReportingOverflow(right)
        return isHuge ? .max : value
    }
}
