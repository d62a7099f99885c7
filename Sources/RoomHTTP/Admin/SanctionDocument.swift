import NIOHTTP1
import RoomControl
import RoomJSON
import RoomModel
import RoomWire

/// A ban or a mute as the admin API shows it and takes it: `Sanction` and `NewSanction` in `Schemas/admin.openapi.yaml`.
enum SanctionDocument {
    /// - Parameter redacted: what was redacted with it.
    static func tree(_ sanction: Sanction, redacted: JSONTree? = nil) -> JSONTree {
        let key = sanction.key
        return .object(
            [.init("kind", .string(key.kind.rawValue))]
                + .present("room", key.room?.text)
                + [.init(key.subject.field, .string(key.subject.text))]
                + .present("reason", sanction.reason)
                + [
                    .init("author", .string(sanction.author)),
                    .init("created", .time(milliseconds: sanction.created)),
                ]
                + (sanction.expires.map { [.init("expires", .time(milliseconds: $0))] } ?? [])
                + (redacted.map { [.init("redacted", $0)] } ?? [])
        )
    }

    struct New: Equatable {
        var key: Sanction.Key
        var reason: String?
        /// `nil`: until it is lifted.
        var seconds: Int?
        /// The messages of the subject go with it.
        var isRedacting: Bool
    }

    /// - Parameter limit: how many bytes a room's name can have.
    static func new(_ body: JSONTree, roomName limit: Int) throws(Problem) -> New {
        let reader = try DocumentReader(
            body,
            known: ["kind", "room", "user", "client_id", "address", "reason", "seconds", "redact"]
        )
        guard let kind: Sanction.Kind = try reader.choice("kind") else { throw reader.missing("kind") }
        let subject = try self.subject(reader)
        let isRedacting = try reader.flag("redact") ?? false
        if isRedacting {
            guard kind == .ban else { throw .invalid("redact goes with a ban: leave it out") }
            if case .address = subject {
                throw .invalid("messages are not stored with an address: give user or client_id, or leave out redact")
            }
        }
        return New(
            key: Sanction.Key(kind, of: subject, in: try self.room(reader, limit: limit)),
            reason: try reader.text("reason", "a text") { _ in true },
            seconds: try reader.integer("seconds", in: 1...ModerationAct.longestSanction),
            isRedacting: isRedacting
        )
    }

    static func subject(_ reader: DocumentReader) throws(Problem) -> SanctionSubject {
        try SanctionSubject(
            user: self.name("user", reader),
            client: self.name("client_id", reader),
            address: self.name("address", reader)
        )
    }

    /// - Parameter limit: how many bytes a room's name can have.
    static func room(_ reader: DocumentReader, limit: Int) throws(Problem) -> RoomName? {
        try reader.text("room", "the name of a room, or leave it out for the whole channel") {
            RoomNameRule.fault(in: $0, limit: limit) == nil
        }.map { RoomName($0) }
    }

    /// A null is not a name: it might be a user that the caller failed to find.
    private static func name(_ field: String, _ reader: DocumentReader) throws(Problem) -> String? {
        let name = try reader.text(field, "a text") { _ in true }
        if name == nil, reader.has(field) { throw reader.fault(field, "a text, or leave it out") }
        return name
    }
}

extension SanctionSubject {
    /// The one that is given.
    ///
    /// - Throws: `Problem` where there is none or more than one, or where the address is none.
    init(user: String?, client: String?, address: String?) throws(Problem) {
        switch (user, client, address) {
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
