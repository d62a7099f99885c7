import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// Bans and mutes.
struct SanctionRoutes: AdminRoutes {
    let places: AdminPlaces
    let moderation: ModerationRegistry
    let redactions: RedactionRoutes
    let clock: @Sendable () -> Int64

    func add(to router: inout AdminRouter) {
        let path = "channels/:channel/sanctions"
        let key = ["kind", "room", "user", "client_id", "address"]
        router.on(.GET, path, scope: .read, query: key + ["after", "limit"], self.listSanctions)
        router.on(.POST, path, scope: .moderate, self.imposeSanction)
        router.on(.DELETE, path, scope: .moderate, query: key, self.liftSanction)
    }

    @Sendable private func listSanctions(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let isForSomebody = ["user", "client_id", "address"].contains { call.query[$0] != nil }
        let list = SanctionList(
            kind: try call.query.choice("kind"),
            place: try self.place(call.query),
            subject: isForSomebody ? try self.subject(call.query) : nil,
            after: try call.query.cursor("after"),
            limit: try call.query.limit
        )
        let page = list.page(of: await self.moderation.moderation(of: channel).sanctions, now: self.clock())
        return .page("sanctions", page.sanctions.map { AdminSanction($0) }, total: page.total, next: page.next)
    }

    private func place(_ query: AdminQuery) throws(Problem) -> SanctionList.Scope? {
        guard let name = query["room"] else { return nil }
        return name.isEmpty ? .channel : .room(try self.places.room(name))
    }

    private func subject(_ query: AdminQuery) throws(Problem) -> SanctionSubject {
        var subject = SubjectFields()
        (subject.user, subject.clientID, subject.address) = (query["user"], query["client_id"], query["address"])
        return try SanctionSubject(subject)
    }

    @Sendable private func imposeSanction(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let new: NewAdminSanction = try call.body()
        let key = Sanction.Key(
            new.kind == .ban ? .ban : .mute,
            of: try SanctionSubject(new.subject),
            in: try self.places.room(new.room, NewAdminSanction.rightRoom)
        )
        if new.isRedacting {
            guard key.kind == .ban else { throw .invalid("redact goes with a ban: leave it out") }
            if case .address = key.subject {
                throw .invalid("messages are not stored with an address: give user or client_id, or leave out redact")
            }
        }
        let seconds = new.duration.map { Int($0.components.seconds) }
        let moderator = Moderator(call.caller)
        let document = try await Problem.answering { () throws(RequestError) -> AdminSanction in
            if new.isRedacting {
                return try await self.redactions.banAndRedact(key, in: channel, new.reason, seconds, by: moderator)
            }
            return AdminSanction(
                try await self.moderation.impose(
                    key,
                    in: channel,
                    reason: new.reason,
                    seconds: seconds,
                    by: moderator
                )
            )
        }
        return .document(document, status: .created)
    }

    @Sendable private func liftSanction(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        _ = try call.query.required("kind")
        guard let kind: Sanction.Kind = try call.query.choice("kind") else { throw .missing("kind") }
        let key = Sanction.Key(
            kind,
            of: try self.subject(call.query),
            in: try call.query["room"].map { name throws(Problem) in try self.places.room(name) }
        )
        try await Problem.answering { () throws(RequestError) in
            try await self.moderation.lift(key, in: channel, by: Moderator(call.caller))
        }
        return .done
    }
}

extension SanctionSubject {
    /// The one that is given.
    ///
    /// - Throws: `Problem` where there is none or more than one, or where the address is none.
    init(_ subject: SubjectFields) throws(Problem) {
        switch (subject.user, subject.clientID, subject.address) {
        case (let user?, nil, nil): self = .user(user)
        case (nil, let client?, nil): self = .client(ClientID(client))
        case (nil, nil, let address?): self = .address(try Self.range(address))
        case (nil, nil, nil):
            throw Problem(.badRequest, Code.missingField, "nobody is named: give user, client_id or address")
        default: throw .invalid("give only one of user, client_id and address")
        }
        try Self.check(self)
    }

    private static func range(_ text: String) throws(Problem) -> AddressRange {
        guard let range = AddressRange(text) else {
            throw .invalid(
                "address is \(text.shown): give an address such as 192.0.2.7, or a network such as 192.0.2.0/24 without "
                    + "host bits"
            )
        }
        return range
    }

    private static func check(_ subject: SanctionSubject) throws(Problem) {
        do throws(RequestError) {
            try ModerationCheck.subject(subject)
        } catch {
            throw Problem(error)
        }
    }
}
