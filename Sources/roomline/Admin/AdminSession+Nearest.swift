import NIOCore
import RoomAdmin
import RoomJSON
import RoomModel

extension AdminSession {
    /// Why there is no answer, or why the broker has refused a request, with what may have been meant.
    func failure(_ error: AdminError, of request: AdminRequest) async -> CommandFailure {
        guard error.status != nil, error.code != .unexpectedAnswer else {
            return CommandFailure(error, from: self.address)
        }
        if let bearers = await self.bearers(error, of: request) {
            return CommandFailure(code: .refused, text: "\(error.message); \(bearers)")
        }
        return CommandFailure(
            refusal: error,
            nearest: await self.nearest(error, to: request),
            channel: request.channel
        )
    }

    func failure(of response: AdminResponse, to request: AdminRequest) async -> CommandFailure {
        await self.failure(AdminError(refusal: response, of: self.address), of: request)
    }

    /// Tells which members have a name that was given for an id: `Luke is Kf3Qz81LmXw0TbR`. `nil`: nobody is named so.
    private func bearers(_ error: AdminError, of request: AdminRequest) async -> String? {
        guard ["unknown_member", "member_not_found"].contains(error.code.rawValue), let channel = request.channel,
            let member = request.member
        else { return nil }
        let present = PresentMembers(self, channel: channel, room: request.room)
        guard let found = try? await present.members(named: member), !found.isEmpty else { return nil }
        return "\(member) is \(found.map(\.idAndUser).joined(separator: " or "))"
    }

    /// The words to say when something is set for a room that has no members: another one may have been meant.
    ///
    /// - Returns: `nil` where it has some, or has messages.
    func absence(of room: String, in channel: String) async -> String? {
        do throws(AdminError) {
            let found = try await self.client.send(.room(room, in: channel))
            // The rule that was set makes it a room already.
            guard found.members == 0, found.seq == 0 else { return nil }
        } catch {
            guard error.status == 404 else { return nil }
        }
        let nearest = await self.room(near: room, in: channel)
        return "the room \(room) has no members now" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// One with members, or one with a history.
    private func room(near name: String, in channel: String) async -> String? {
        let present = await self.names("rooms", "name", ["channels", channel, "rooms"])
        let stored = await self.names("rooms", "name", ["channels", channel, "stored-rooms"])
        return NearestName.of(name, among: present + stored)
    }

    /// A name that there is, where one was given that there is not. A list that cannot be asked for suggests nothing.
    private func nearest(_ error: AdminError, to request: AdminRequest) async -> String? {
        switch (error.code.rawValue, request.channel, request.room, request.member) {
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
        let kind = request.query.first { $0.name == "kind" }.flatMap { AdminSanction.Kind(rawValue: $0.value) }
        let list = AdminList.sanctions(of: channel, kind: kind)
        // A list that cannot be asked for suggests nothing.
        guard let page = try? await self.client.page(of: list, after: nil) else { return nil }
        let names = page.elements.compactMap { try? AdminSanction(json: $0).name(of: named.name) }
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
