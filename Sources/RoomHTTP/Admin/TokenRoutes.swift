import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel

/// Admin tokens.
struct TokenRoutes: AdminRoutes {
    let tokens: AdminTokens

    func add(to router: inout AdminRouter) {
        router.on(.GET, "tokens", scope: .manage, self.listTokens)
        router.on(.POST, "tokens", scope: .manage, self.createToken)
        router.on(.DELETE, "tokens/:name", scope: .manage, self.deleteToken)
    }

    @Sendable private func listTokens(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        var list = AdminTokenList(placeholder: ())
        list.tokens = self.tokens.all.map { AdminToken($0) }
        return .document(list)
    }

    @Sendable private func createToken(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let new: NewAdminToken = try call.body()
        guard new.name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}/) != nil else {
            throw .invalid("name is \(new.name.shown): give \(NewAdminToken.rightName)")
        }
        let scopes = new.scopes.compactMap { AdminScope(rawValue: $0.rawValue) }
        guard !scopes.isEmpty, Set(scopes).count == new.scopes.count else {
            let shown = JSONTree.array(new.scopes.map { .string($0.rawValue) }).shown
            throw .invalid("scopes is \(shown): give \(NewAdminToken.rightScopes)")
        }
        let (token, text) = try await Problem.answering { () throws(ControlError) in
            try await self.tokens.create(
                name: new.name,
                scopes: Set(scopes),
                lasting: new.duration,
                by: call.caller
            )
        }
        var document = AdminToken(token)
        document.token = text
        return .document(document, status: .created, location: "\(AdminRouter.root)/tokens/\(new.name)")
    }

    @Sendable private func deleteToken(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let name = try call.name("name")
        try await Problem.answering { () throws(ControlError) in
            try await self.tokens.remove(name: name, by: call.caller)
        }
        return .done
    }
}

extension AdminToken {
    fileprivate init(_ token: StoredAdminToken) {
        self.init(placeholder: ())
        self.name = token.name
        self.scopes = AdminScope.allCases.filter(token.scopes.contains).map { Scope(rawValue: $0.rawValue) }
        self.createdAt = AdminTime(milliseconds: token.created)
        self.expiresAt = token.expires.map { AdminTime(milliseconds: $0) }
    }
}
