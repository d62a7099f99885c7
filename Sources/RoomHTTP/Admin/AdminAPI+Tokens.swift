import NIOHTTP1
import RoomControl
import RoomCore
import RoomJSON
import RoomModel

extension AdminAPI {
    func addTokens(to routes: inout HTTPRoutes) {
        self.on(.GET, "tokens", in: &routes, scope: .manage, self.listTokens)
        self.on(.POST, "tokens", in: &routes, scope: .manage, self.createToken)
        self.on(.DELETE, "tokens/:name", in: &routes, scope: .manage, self.deleteToken)
    }

    @Sendable private func listTokens(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        .document(.object([.init("tokens", .array(self.tokens.all.map { .object(Self.fields($0)) }))]))
    }

    @Sendable private func createToken(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        guard let body = try call.document() else { throw Self.noBody }
        let reader = try DocumentReader(body, known: ["name", "scopes", "expires_in_seconds"])
        let name = try reader.text("name", "1 to 64 characters of A-Z a-z 0-9 _ . - that begin with a letter or digit")
        {
            $0.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}/) != nil
        }
        guard let name else { throw reader.missing("name") }
        let bounds = 1...Int(ChannelBounds.longest.components.seconds)
        let scopes = try self.scopes(reader)
        let lasting = try reader.integer("expires_in_seconds", in: bounds).map { Duration.seconds($0) }
        let (token, text) = try await Self.answering { () throws(ControlError) in
            try await self.tokens.create(name: name, scopes: scopes, lasting: lasting, by: call.caller)
        }
        return .document(
            .object(Self.fields(token) + [.init("token", .string(text))]),
            status: .created,
            location: "\(Self.root)/tokens/\(name)"
        )
    }

    @Sendable private func deleteToken(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let name = try call.name("name")
        try await Self.answering { () throws(ControlError) in
            try await self.tokens.remove(name: name, by: call.caller)
        }
        return .done
    }

    private func scopes(_ reader: DocumentReader) throws(Problem) -> Set<AdminScope> {
        let words = AdminScope.allCases.map(\.rawValue).joined(separator: ", ")
        let allowed = "an array of one or more of \(words), each once"
        guard let elements = try reader.array("scopes", atMost: AdminScope.allCases.count) else {
            throw reader.missing("scopes")
        }
        var scopes: Set<AdminScope> = []
        for element in elements {
            guard case .string(let word) = element, let scope = AdminScope(rawValue: word),
                scopes.insert(scope).inserted
            else { throw reader.fault("scopes", allowed) }
        }
        guard !scopes.isEmpty else { throw reader.fault("scopes", allowed) }
        return scopes
    }

    private static func fields(_ token: AdminToken) -> [JSONTree.Field] {
        [
            .init("name", .string(token.name)),
            .init("scopes", .array(AdminScope.allCases.filter(token.scopes.contains).map { .string($0.rawValue) })),
            .init("created_at", .time(milliseconds: token.created)),
            .init("expires_at", .optional(token.expires) { .time(milliseconds: $0) }),
        ]
    }
}
