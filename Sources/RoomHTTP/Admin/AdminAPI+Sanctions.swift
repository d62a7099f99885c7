import NIOHTTP1
import RoomControl
import RoomCore
import RoomJSON
import RoomModel
import RoomWire

/// Bans and mutes.
extension AdminAPI {
    func addSanctions(to routes: inout HTTPRoutes) {
        let path = "channels/:channel/sanctions"
        let key = ["kind", "room", "user", "client_id", "address"]
        self.on(.GET, path, in: &routes, scope: .read, query: key + ["after", "limit"], self.listSanctions)
        self.on(.POST, path, in: &routes, scope: .moderate, self.imposeSanction)
        self.on(.DELETE, path, in: &routes, scope: .moderate, query: key, self.liftSanction)
    }

    @Sendable private func listSanctions(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.existing(call)
        let isForSomebody = ["user", "client_id", "address"].contains { call.query[$0] != nil }
        let list = SanctionList(
            kind: try call.query.choice("kind"),
            place: try self.place(call.query),
            subject: isForSomebody ? try self.subject(call.query) : nil,
            after: try call.query.cursor("after"),
            limit: try call.query.limit
        )
        let page = list.page(of: await self.moderation.moderation(of: channel).sanctions, now: self.clock())
        return .document(
            .object([
                .init("sanctions", .array(page.sanctions.map { SanctionDocument.tree($0) })),
                .init("total", .integer(page.total)), .init("next", .next(page.next)),
            ])
        )
    }

    private func place(_ query: AdminQuery) throws(Problem) -> SanctionList.Scope? {
        guard let name = query["room"] else { return nil }
        return name.isEmpty ? .channel : .room(try self.room(name))
    }

    private func subject(_ query: AdminQuery) throws(Problem) -> SanctionSubject {
        try SanctionSubject(user: query["user"], client: query["client_id"], address: query["address"])
    }

    private func room(_ name: String) throws(Problem) -> RoomName {
        if let fault = RoomNameRule.fault(in: name, limit: self.frames.roomName) { throw Problem(fault) }
        return RoomName(name)
    }

    @Sendable private func imposeSanction(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.existing(call)
        guard let body = try call.document() else { throw Self.noBody }
        let new = try SanctionDocument.new(body, roomName: self.frames.roomName)
        let moderator = Moderator(call.caller)
        let document = try await Self.answering { () throws(RequestError) -> JSONTree in
            if new.isRedacting { return try await self.banAndRedact(new, in: channel, by: moderator) }
            return SanctionDocument.tree(
                try await self.moderation.impose(
                    new.key,
                    in: channel,
                    reason: new.reason,
                    seconds: new.seconds,
                    by: moderator
                )
            )
        }
        return .document(document, status: .created)
    }

    @Sendable private func liftSanction(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.existing(call)
        _ = try call.query.required("kind")
        guard let kind: Sanction.Kind = try call.query.choice("kind") else { throw .missing("kind") }
        let key = Sanction.Key(
            kind,
            of: try self.subject(call.query),
            in: try call.query["room"].map { name throws(Problem) in try self.room(name) }
        )
        try await Self.answering { () throws(RequestError) in
            try await self.moderation.lift(key, in: channel, by: Moderator(call.caller))
        }
        return .done
    }

    /// Gives what the broker refuses in HTTP's terms.
    static func answering<Value, Refusal: ProblemConvertible>(
        _ call: () async throws(Refusal) -> Value
    ) async throws(Problem) -> Value {
        do throws(Refusal) {
            return try await call()
        } catch {
            throw error.problem
        }
    }
}
