import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomModel
import RoomWire

/// The messages of one author, taken away.
struct RedactionRoutes: AdminRoutes {
    let places: AdminPlaces
    let moderation: ModerationRegistry
    let storedRooms: (any StoredRoomList)?

    private static let mostRooms = 100

    func add(to router: inout AdminRouter) {
        router.on(.POST, "channels/:channel/redactions", scope: .moderate, query: ["after"], self.redactAll)
    }

    @Sendable private func redactAll(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let order: AdminRedactionOrder = try call.body()
        let room = try self.places.room(order.room, NewAdminSanction.rightRoom)
        let subject = try SanctionSubject(order.subject)
        let (reason, isDryRun) = (order.reason, order.isDryRun)
        let after = try call.query.cursor("after")
        let moderator = Moderator(call.caller)
        let walk = AuthorWalk(channel: channel, room: room, place: try AuthorPlace(after))
            .with(reason: reason, isDryRun: isDryRun, by: moderator.sender)
        let result = try await Problem.answering { () throws(RequestError) -> ModerationRegistry.AuthorResult in
            guard !isDryRun else {
                return try await self.walk(walk, await self.moderation.author(subject, in: channel))
            }
            return try await self.moderation.redactAll(
                of: subject,
                in: channel,
                room,
                from: after,
                reason: reason,
                by: moderator
            ) { author throws(RequestError) in
                try await self.walk(walk, author)
            }
        }
        return .document(RedactedMessages(result))
    }

    /// Bans somebody, and redacts what is stored of them: the first part of it.
    func banAndRedact(
        _ ban: Sanction.Key,
        in channel: ChannelID,
        _ reason: String?,
        _ seconds: Int?,
        by moderator: Moderator
    ) async throws(RequestError) -> AdminSanction {
        let walk = AuthorWalk(channel: channel, room: ban.room, place: nil)
            .with(reason: reason, isDryRun: false, by: moderator.sender)
        let (sanction, result) = try await self.moderation.banAndRedact(
            ban,
            in: channel,
            reason: reason,
            seconds: seconds,
            by: moderator
        ) { author throws(RequestError) in
            try await self.walk(walk, author)
        }
        return AdminSanction(sanction, redacted: RedactedMessages(result))
    }

    /// Goes through rooms until there are no more, or it is enough for one request.
    private func walk(
        _ first: AuthorWalk,
        _ author: MessageAuthor
    ) async throws(RequestError) -> ModerationRegistry.AuthorResult {
        var walk = first
        if let room = walk.room {
            _ = try await self.redact(room, &walk, author)
            return walk.result
        }
        var after: RoomName?
        switch walk.place {
        case .within(let room, _):
            guard try await self.redact(room, &walk, author) else { return walk.result }
            after = room
        case .after(let room): after = room
        case nil: break
        }
        walk.place = nil
        let query = StoredRoomQuery(after: after, limit: Self.mostRooms, asker: .administrator("redact"))
        let page: StoredRoomPage?
        do throws(EngineError) {
            page = try await self.storedRooms?.storedRooms(in: walk.channel, query)
        } catch {
            throw RequestError(
                .storageUnavailable,
                "the history cannot be read now, and some messages may be redacted already: repeat the request",
                retryAfterMilliseconds: 1_000
            )
        }
        for room in page?.rooms ?? [] {
            guard try await self.redact(room.name, &walk, author) else { return walk.result }
        }
        walk.next = page?.hasMore == true ? page?.rooms.last.map { .after($0.name) } : nil
        return walk.result
    }

    /// - Returns: whether there is room for more in this request.
    private func redact(
        _ name: RoomName,
        _ walk: inout AuthorWalk,
        _ author: MessageAuthor
    ) async throws(RequestError) -> Bool {
        var step = AuthorStep(author, reason: walk.reason, isDryRun: walk.isDryRun)
        if case .within(_, let seq) = walk.place { step.after = seq }
        let limit = ModerationRegistry.mostRedacted - walk.count
        let key = RoomKey(channel: walk.channel, room: name)
        let done = try await self.moderation.redactSome(step, in: key, atMost: limit, by: walk.sender)
        walk.count += done.count
        walk.place = nil
        if let next = done.next {
            walk.next = .within(name, after: next)
        } else if walk.count >= ModerationRegistry.mostRedacted, walk.room == nil {
            walk.next = .after(name)
        }
        return walk.next == nil
    }
}

/// The place at which a request goes on.
private enum AuthorPlace: Sendable {
    /// Behind this message of the room.
    case within(RoomName, after: UInt64)
    /// This room is done.
    case after(RoomName)

    init?(_ text: String?) throws(Problem) {
        guard let text else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let mark = parts.first, let name = parts.dropFirst().first.map({ RoomName(String($0)) }) else {
            throw Self.unknown
        }
        if mark.isEmpty {
            self = .after(name)
        } else if let seq = UInt64(mark) {
            self = .within(name, after: seq)
        } else {
            throw Self.unknown
        }
    }

    private static let unknown = Problem.invalid("after is not a value that next of an answer had")

    var text: String {
        switch self {
        case .within(let room, let seq): "\(seq):\(room.text)"
        case .after(let room): ":\(room.text)"
        }
    }
}

/// One request, and how far it is.
private struct AuthorWalk: Sendable {
    let channel: ChannelID
    /// `nil`: all rooms of the channel of which something is stored.
    let room: RoomName?
    var place: AuthorPlace?
    private(set) var reason: String?
    private(set) var isDryRun = false
    private(set) var sender = Sender.broker
    var count = 0
    var next: AuthorPlace?

    func with(reason: String?, isDryRun: Bool, by sender: Sender) -> AuthorWalk {
        var walk = self
        (walk.reason, walk.isDryRun, walk.sender) = (reason, isDryRun, sender)
        return walk
    }

    var result: ModerationRegistry.AuthorResult {
        ModerationRegistry.AuthorResult(count: self.count, next: self.next.map(\.text))
    }
}

extension RedactedMessages {
    fileprivate init(_ result: ModerationRegistry.AuthorResult) {
        self.init(messages: UInt64(result.count), next: result.next.map { PageCursor.text($0) })
    }
}
