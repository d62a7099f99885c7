import NIOHTTP1
package import RoomControl
package import RoomCore
package import RoomDelivery
import RoomDocuments
package import RoomModel

/// Scaledrone's REST (protocol §1): what servers do in a channel without a connection of their own.
package struct RESTAPI: Sendable {
    let rooms: any RoomAccess
    let limits: FrameLimits
    private let isOnThisMachineOnly: Bool
    private let moderation: ModerationRegistry
    private let channels: @Sendable (String) -> RoomChannel?
    private let clientCount: @Sendable (ChannelID) async -> Int
    private let logins: FailedLogins
    private let lists = ConcurrencyLimit()
    private let publishes: PublishMeter
    private let clock: HTTPClock

    /// - Parameters:
    ///   - channels: the channel of an id as it is now; `nil` where there is none.
    ///   - publishRate: messages a second from one address.
    ///   - clientCount: how many are connected to a channel.
    package init(
        rooms: any RoomAccess,
        moderation: ModerationRegistry,
        channels: @escaping @Sendable (String) -> RoomChannel?,
        limits: FrameLimits,
        publishRate: Int = .max,
        isOnThisMachineOnly: Bool = true,
        clientCount: @escaping @Sendable (ChannelID) async -> Int,
        logins: FailedLogins,
        clock: HTTPClock
    ) {
        self.rooms = rooms
        self.moderation = moderation
        self.channels = channels
        self.limits = limits
        self.isOnThisMachineOnly = isOnThisMachineOnly
        self.publishes = PublishMeter(perSecond: publishRate)
        self.clientCount = clientCount
        self.logins = logins
        self.clock = clock
    }

    /// - Parameters:
    ///   - pattern: becomes that of the route, for metrics.
    ///   - work: what the connection is charged.
    func respond(
        to request: HTTPRequest,
        from peer: HTTPPeer,
        _ pattern: inout String,
        charging work: RequestWork
    ) async -> HTTPResponse {
        var origin = OriginRule.none
        var response: HTTPResponse
        do throws(Problem) {
            let route = try RESTRoute(request.target, limits: self.limits)
            pattern = route.pattern
            guard let channel = self.channels(route.channel) else {
                throw Problem(Session.noChannel(route.channel))
            }
            origin = try OriginRule(request, channel.settings, isOnThisMachineOnly: self.isOnThisMachineOnly)
            response = try await self.respond(to: request, route, channel, from: peer, charging: work)
        } catch {
            response = .failed(error)
        }
        if case .allowed(let page) = origin { response.share(with: page) }
        return response
    }

    private func respond(
        to request: HTTPRequest,
        _ route: RESTRoute,
        _ channel: RoomChannel,
        from peer: HTTPPeer,
        charging work: RequestWork
    ) async throws(Problem) -> HTTPResponse {
        if request.method == .OPTIONS { return .options(for: request, methods: route.methods) }
        guard request.method == route.method || request.method == .HEAD && route.method == .GET else {
            throw Problem(
                .methodNotAllowed,
                .methodNotAllowed,
                "\(request.method.rawValue) is not allowed here; use one of \(route.methods)",
                headers: ["Allow": route.methods]
            )
        }
        let access = try self.access(request, channel, peer)
        let id = channel.settings.id
        let publisher = RESTPublisher(channel: id, access: access, address: peer.address, work: work)
        switch route.target {
        case .publish(let room):
            try self.meter(peer, rooms: 1)
            return try await self.publish(request, to: room, by: publisher)
        case .publishMany(let rooms):
            try self.meter(peer, rooms: rooms.count)
            return try await self.publish(request, to: rooms, by: publisher)
        case .stats, .members, .rooms, .roomMembers, .membersOfRoom:
            return try await self.read(route.target, of: id, access, charging: work)
        }
    }

    /// Reads that bans keep from the caller are refused; publishes ask for themselves, in the room's own turn.
    private func read(
        _ target: RESTRoute.Target,
        of channel: ChannelID,
        _ access: RESTAccess,
        charging work: RequestWork
    ) async throws(Problem) -> HTTPResponse {
        let activeSanctions = await self.activeSanctions(of: access, in: channel)
        if let ban = activeSanctions.channelBan { throw Problem(.banned(ban)) }
        switch target {
        case .membersOfRoom(let room):
            if let ban = activeSanctions.ban(from: room) { throw Problem(.banned(ban)) }
            guard access.mayRead(room, charging: work) else {
                throw Problem(RequestError(.permissionDenied, "the token does not let you subscribe to this room"))
            }
            let members = await self.rooms.members(of: RoomKey(channel: channel, room: room))
            return .json(RESTAnswers.strings(members.lazy.map(\.text)))
        case .stats: return .json(RESTAnswers.stats(users: await self.clientCount(channel)))
        default:
            return try await self.list(target, of: channel) {
                activeSanctions.ban(from: $0) == nil && access.mayRead($0, charging: work)
            }
        }
    }

    private func activeSanctions(of access: RESTAccess, in channel: ChannelID) async -> ActiveSanctions {
        guard let person = access.person else { return ActiveSanctions() }
        return await self.moderation.activeSanctions(of: person, in: channel)
    }

    private func meter(_ peer: HTTPPeer, rooms: Int) throws(Problem) {
        guard let error = self.publishes.refusal(of: peer.address, rooms: rooms, now: self.clock.uptime()) else {
            return
        }
        throw Problem(error)
    }

    /// - Parameter mayRead: of which rooms the caller may know.
    private func list(
        _ target: RESTRoute.Target,
        of channel: ChannelID,
        _ mayRead: (RoomName) -> Bool
    ) async throws(Problem) -> HTTPResponse {
        guard self.lists.enter() else {
            throw Problem(
                RequestError(
                    .rateLimited,
                    "too many lists are being made now; try again in a moment",
                    retryAfterMilliseconds: 1_000
                )
            )
        }
        defer { self.lists.leave() }
        if target == .members {
            return .json(RESTAnswers.strings(await self.rooms.members(in: channel).lazy.map(\.text)))
        }
        let rooms = await self.rooms.rooms(in: channel, RoomQuery()).rooms.map { RoomName($0.name) }.filter(mayRead)
        if target == .rooms { return .json(RESTAnswers.strings(rooms.lazy.map(\.text))) }
        return .json(RESTAnswers.roomMembers(await self.rooms.members(of: rooms, in: channel)))
    }

    private func access(_ request: HTTPRequest, _ channel: RoomChannel, _ peer: HTTPPeer) throws(Problem) -> RESTAccess
    {
        let authorization = request.headers["Authorization"]
        if !authorization.isEmpty, let wait = self.logins.retryAfter(peer.address, now: self.clock.uptime()) {
            throw Problem(
                RequestError(
                    .rateLimited,
                    "too many wrong tokens and secrets from your address; wait before the next one",
                    retryAfterMilliseconds: wait
                )
            )
        }
        do throws(RequestError) {
            return try RESTAccess(
                authorization: authorization,
                channel: channel,
                address: peer.address,
                now: self.clock.unixSeconds()
            )
        } catch {
            if !authorization.isEmpty, error.code != .tokenExpired {
                self.logins.failed(peer.address, now: self.clock.uptime())
            }
            throw Problem(error)
        }
    }
}
