import NIOHTTP1
import RoomControl
import RoomCore
import RoomModel

/// Routes of one kind of the admin API, with what they need.
protocol AdminRoutes: Sendable {
    func add(to router: inout AdminRouter)
}

/// Takes the routes under `/admin/v1`, and lets callers in.
struct AdminRouter {
    private(set) var routes: HTTPRoutes
    let authenticator: AdminAuthenticator

    /// The work of a route once the caller is let in.
    typealias Handler = @Sendable (AdmittedCall) async throws(Problem) -> HTTPResponse

    /// - Parameters:
    ///   - path: below `root`.
    ///   - scope: what a token has to have.
    ///   - query: the parameters that it may have.
    mutating func on(
        _ method: HTTPMethod,
        _ path: String,
        scope: AdminScope,
        query: [String] = [],
        _ handler: @escaping Handler
    ) {
        self.routes.on(method, "\(Self.root)/\(path)") { [authenticator] request, context in
            let caller = try authenticator.caller(request, from: context.peer, needing: scope)
            let call = try AdmittedCall(
                request,
                context,
                caller: caller,
                isStillAllowed: { authenticator.stillLetsIn(request, from: context.peer, for: scope) },
                isManager: { authenticator.stillLetsIn(request, from: context.peer, for: .manage) },
                known: query
            )
            return try await handler(call)
        }
    }

    static let root = "/admin/v1"
}
