import NIOCore
import RoomJSON
import RoomModel

extension AdminClient {
    /// Why the broker has refused a request, with what may have been meant.
    func failure(of response: AdminResponse, to request: AdminRequest) async -> CommandFailure {
        guard let problem = try? response.decode(as: AdminProblem.self) else {
            return CommandFailure(
                code: .refused,
                text: "\(self.address) answers \(response.status), but not as a broker's admin API"
            )
        }
        if let bearers = await self.bearers(problem, of: request) {
            return CommandFailure(code: .refused, text: "\(problem.detail); \(bearers)")
        }
        return CommandFailure(problem, nearest: await self.nearest(problem, to: request), channel: request.channel)
    }

    /// Tells which members have a name that was given for an id: `Luke is Kf3Qz81LmXw0TbR`. `nil`: nobody is named so.
    private func bearers(_ problem: AdminProblem, of request: AdminRequest) async -> String? {
        guard ["unknown_member", "member_not_found"].contains(problem.code), let channel = request.channel,
            let member = request.member
        else { return nil }
        let present = PresentMembers(self, channel: channel, room: request.room)
        guard let ids = try? await present.ids(named: member), !ids.isEmpty else { return nil }
        return "\(member) is \(ids.joined(separator: " or "))"
    }

    /// The words to say when something is set for a room that has no members: another one may have been meant.
    ///
    /// - Returns: `nil` where it has some.
    func absence(of room: String, in channel: String) async -> String? {
        let request = AdminRequest(.get, ["channels", channel, "rooms", room])
        guard let response = try? await self.exchange(request), response.status == 404 else { return nil }
        let nearest = await self.room(near: room, in: channel)
        return "the room \(room) has no members now" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    private func room(near name: String, in channel: String) async -> String? {
        NearestName.of(name, among: await self.names("rooms", "name", ["channels", channel, "rooms"]))
    }

    /// A name that there is, where one was given that there is not. A list that cannot be asked for suggests nothing.
    private func nearest(_ problem: AdminProblem, to request: AdminRequest) async -> String? {
        switch (problem.code, request.channel, request.room, request.member) {
        case ("unknown_channel", let channel?, _, _):
            return NearestName.of(channel, among: await self.names("channels", "id", ["channels"]))
        case ("unknown_room", let channel?, let room?, _):
            return await self.room(near: room, in: channel)
        case ("unknown_member", let channel?, let room, let member?),
            ("member_not_found", let channel?, let room, let member?):
            let members = await self.members(of: room, in: channel)
            // Nobody is in a room that there is not.
            if let room, members.isEmpty { return await self.room(near: room, in: channel) }
            return NearestName.of(member, among: members)
        case ("sanction_not_found", let channel?, _, _):
            return await self.sanctioned(request, in: channel)
        case ("unknown_token", _, _, _):
            return NearestName.of(
                request.path.last ?? "",
                among: await self.names("tokens", "name", ["tokens"], limit: nil)
            )
        default: return nil
        }
    }

    /// - Parameter room: `nil`: all that have members.
    private func members(of room: String?, in channel: String) async -> [String] {
        let path = ["channels", channel, "rooms"]
        var members: [String] = []
        let rooms: [String] = if let room { [room] } else { await self.names("rooms", "name", path) }
        for room in rooms { members += await self.names("members", "id", path + [room, "members"]) }
        return members
    }

    /// A user, a client or an address that has such a sanction.
    private func sanctioned(_ request: AdminRequest, in channel: String) async -> String? {
        let subjects = ["user", "client_id", "address"]
        guard let named = request.query.first(where: { subjects.contains($0.name) }) else { return nil }
        let kind = request.query.filter { $0.name == "kind" }
        let list = AdminRequest(.get, ["channels", channel, "sanctions"], query: kind + [("limit", "1000")])
        guard let response = try? await self.exchange(list), response.status == 200 else { return nil }
        let names = JSONFields.elements(of: "sanctions", in: response.body)
            .compactMap { try? AdminSanction(json: $0).name(of: named.name) }
        return NearestName.of(named.value, among: names.filter { $0 != named.value })
    }

    /// - Parameter limit: `nil` for a list that has no pages.
    private func names(
        _ field: StaticString,
        _ name: StaticString,
        _ path: [String],
        limit: Int? = 1_000
    ) async -> [String] {
        let request = AdminRequest(.get, path, query: limit.map { [("limit", "\($0)")] } ?? [])
        guard let response = try? await self.exchange(request), response.status == 200 else { return [] }
        return JSONFields.elements(of: field, in: response.body).compactMap { JSONFields.string(of: name, in: $0) }
    }
}
