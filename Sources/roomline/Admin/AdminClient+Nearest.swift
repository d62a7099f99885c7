import NIOCore
import RoomModel
import RoomWire

extension AdminClient {
    /// Why the broker has refused a request, with what may have been meant.
    func failure(of response: AdminResponse, to request: AdminRequest) async -> CommandFailure {
        guard let problem = try? response.decode(as: AdminProblem.self) else {
            return CommandFailure(
                code: .refused,
                text: "\(self.address) answers \(response.status), and not as a broker's admin API: is it one?"
            )
        }
        return CommandFailure(problem, nearest: await self.nearest(problem, to: request))
    }

    /// A name that there is, where one was given that there is not. What cannot be asked suggests nothing.
    private func nearest(_ problem: AdminProblem, to request: AdminRequest) async -> String? {
        switch (problem.code, request.channel, request.room, request.member) {
        case ("unknown_channel", let channel?, _, _):
            return NearestName.of(channel, among: await self.names("channels", "id", ["channels"]))
        case ("unknown_room", let channel?, let room?, _):
            return NearestName.of(room, among: await self.names("rooms", "name", ["channels", channel, "rooms"]))
        case ("unknown_member", let channel?, let room?, let member?):
            let path = ["channels", channel, "rooms", room, "members"]
            return NearestName.of(member, among: await self.names("members", "id", path))
        default: return nil
        }
    }

    private func names(_ field: StaticString, _ name: StaticString, _ path: [String]) async -> [String] {
        let request = AdminRequest(.get, path, query: [("limit", "1000")])
        guard let response = try? await self.exchange(request), response.status == 200 else { return [] }
        return JSONFields.elements(of: field, in: response.body).compactMap { JSONFields.string(of: name, in: $0) }
    }
}
