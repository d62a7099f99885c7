package import NIOHTTP1

/// The routes under the names that no channel can have: a table of paths, and what answers each method of a path.
///
/// A name of a path that begins with a colon is a parameter, which takes any name. Empty names do not count, so `/health/` is
/// `/health`. `HEAD` goes to the handler of `GET`; a method that the path does not have gets 405 with `Allow`.
///
///     var routes = HTTPRoutes()
///     routes.on(.GET, "assets/:name") { request, context in … context.parameters["name"] … }
package struct HTTPRoutes: Sendable {
    package typealias Handler = @Sendable (HTTPRequest, HTTPRequestContext) async throws -> HTTPResponse

    /// HTTP's own methods. To others, such as WebDAV's, there is nothing under any path.
    private static let methods: [HTTPMethod] = [
        .GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .OPTIONS, .TRACE, .RAW(value: "QUERY"),
    ]

    private var routes: [Route] = []

    package init() {}

    /// Adds a handler. Of two paths that fit a request, the one that was added first gets it.
    package mutating func on(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) {
        let route = Route(path)
        let index = self.routes.firstIndex { $0.names == route.names } ?? self.routes.endIndex
        if index == self.routes.endIndex { self.routes.append(route) }
        self.routes[index].handlers.append((method, handler))
    }

    /// Answers a request by the route that fits it.
    ///
    /// - Parameters:
    ///   - context: gets the parameters of the path, as they were sent.
    ///   - pattern: becomes that of the path, for metrics.
    /// - Throws: `Problem` with 404 or 405 where there is no handler, or what the handler throws.
    package func respond(
        to request: HTTPRequest,
        _ context: HTTPRequestContext,
        _ pattern: inout String
    ) async throws -> HTTPResponse {
        let names = request.path.split(separator: "/")
        guard Self.methods.contains(request.method), let route = self.routes.first(where: { $0.fits(names) }) else {
            throw Problem(.notFound, .notFound, "there is nothing under this path")
        }
        pattern = route.pattern
        var context = context
        context.parameters = route.parameters(names)
        return try await route.handler(request.method)(request, context)
    }
}

/// One path, and what answers its methods.
private struct Route: Sendable {
    let names: [Substring]
    /// The path, with its parameters in braces.
    let pattern: String
    var handlers: [(method: HTTPMethod, handler: HTTPRoutes.Handler)] = []

    init(_ path: String) {
        self.names = path.split(separator: "/")
        let shown = self.names.map { $0.first == ":" ? "{\($0.dropFirst())}" : "\($0)" }
        self.pattern = "/" + shown.joined(separator: "/")
    }

    func fits(_ names: [Substring]) -> Bool {
        names.count == self.names.count && zip(self.names, names).allSatisfy { $0.first == ":" || $0 == $1 }
    }

    func parameters(_ names: [Substring]) -> [String: Substring] {
        let pairs = zip(self.names, names).filter { $0.0.first == ":" }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0.dropFirst()), $1) })
    }

    func handler(_ method: HTTPMethod) throws(Problem) -> HTTPRoutes.Handler {
        let wanted = method == .HEAD ? .GET : method
        if let found = self.handlers.first(where: { $0.method == wanted }) { return found.handler }
        let methods = self.handlers.map(\.method.rawValue)
        let allow = (methods + (methods.contains("GET") ? ["HEAD"] : [])).sorted().joined(separator: ", ")
        throw Problem(
            .methodNotAllowed,
            .methodNotAllowed,
            "\(method.rawValue) is not allowed here; use one of \(allow)",
            headers: ["Allow": allow]
        )
    }
}
