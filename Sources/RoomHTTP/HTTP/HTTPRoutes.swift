package import HTTPTypes
package import Hummingbird

/// The routes under the names that no channel can have. Whoever adds one gets 405 with `Allow` for its other methods, and
/// `HEAD` for each `GET`.
///
///     AdminAPI(…).addRoutes(to: routes)
package final class HTTPRoutes: RouterMethods {
    package typealias Context = HTTPRequestContext

    private let router = Router(context: HTTPRequestContext.self)
    private var methods: [String: (path: RouterPath, methods: Set<HTTPRequest.Method>)] = [:]

    package init() {}

    @discardableResult
    package func on<Responder: HTTPResponder>(
        _ path: RouterPath,
        method: HTTPRequest.Method,
        responder: Responder
    ) -> Self where Responder.Context == Context {
        self.router.on(path, method: method, responder: responder)
        self.methods[path.description, default: (path, [])].methods.insert(method)
        return self
    }

    @discardableResult
    package func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self {
        self.router.add(middleware: middleware)
        return self
    }

    /// Completes the routes; nothing may be added afterwards.
    package func responder() -> some HTTPResponder<Context> {
        for known in self.methods.values {
            var allowed: Set<HTTPRequest.Method> = known.methods
            if allowed.contains(.get) { allowed.insert(.head) }
            let answer = NotAllowed(allowed: allowed)
            for method in Self.refusable.subtracting(allowed) {
                self.router.on(known.path, method: method, responder: answer)
            }
        }
        return self.router.buildResponder()
    }

    private static let refusable: Set<HTTPRequest.Method> = {
        let methods: [HTTPRequest.Method?] = [
            .get, .head, .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("QUERY"),
        ]
        return Set(methods.compactMap(\.self))
    }()

    private struct NotAllowed: HTTPResponder {
        let allow: String

        init(allowed: Set<HTTPRequest.Method>) {
            self.allow = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        }

        func respond(to request: Request, context: Context) throws -> Response {
            throw Problem(
                .methodNotAllowed,
                .methodNotAllowed,
                "\(request.method.rawValue) is not allowed here; use one of \(self.allow)",
                headers: [.allow: self.allow]
            )
        }
    }
}
