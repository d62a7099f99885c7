import NIOCore
import NIOHTTP1
import RoomModel

/// The web pages: the chat at `/`, the console at `/console`, what they load from `/assets`, and the JavaScript client.
package struct PageRoutes: Sendable {
    private let compressed = CompressedPages()

    package init() {}

    package func addRoutes(to routes: inout HTTPRoutes) {
        for (path, name) in Self.named {
            routes.on(.GET, path) { request, _ in try await self.answer(PageFile.all[name], to: request) }
        }
        routes.on(.GET, "assets/:name") { request, context in
            let file = context.parameters["name"].flatMap { PageFile.all[String($0)] }
            return try await self.answer(file.flatMap { $0.name.hasSuffix(".html") ? nil : $0 }, to: request)
        }
    }

    private static let named = [
        "": "chat.html", "console": "console.html", "roomline.js": "roomline.js", "roomline.d.ts": "roomline.d.ts",
    ]

    /// Whether a path is for a page, though its first name is not one of those that no channel can have.
    static func isPage(_ name: Substring) -> Bool { name.isEmpty || self.named[String(name)] != nil }

    private func answer(_ file: PageFile?, to request: HTTPRequest) async throws -> HTTPResponse {
        guard let file else { throw Problem(.notFound, .notFound, "there is no such file") }
        var headers: HTTPHeaders = [
            "Content-Type": file.type, "ETag": file.version, "Cache-Control": "no-cache",
            "Content-Security-Policy": Self.policy(host: request.host), "Vary": "Accept-Encoding",
        ]
        headers.add(contentsOf: Self.protections)
        // takes the console out of reach of the page that opened it. The browser starts a process for that when the page
        // comes, which delays the first paint. The chat does without: it can only be sent to another address from there.
        if file.name == "console.html" { headers[field: "Cross-Origin-Opener-Policy"] = "same-origin" }
        if Self.has(request.headers["If-None-Match"], file.version) {
            return HTTPResponse(status: .notModified, headers: headers)
        }
        guard Self.takesGzip(request.headers["Accept-Encoding"]) else {
            return HTTPResponse(status: .ok, headers: headers, body: .bytes(file.bytes))
        }
        headers[field: "Content-Encoding"] = "gzip"
        // another representation has another version
        headers[field: "ETag"] = "W/\(file.version)"
        return HTTPResponse(
            status: .ok,
            headers: headers,
            body: .bytes(await self.compressed.bytes(of: file))
        )
    }

    /// Whether gzip is named and not refused by a weight of 0.
    static func takesGzip(_ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains(where: Self.isZero)
        }
    }

    /// Whether a parameter is a weight of 0. There may be thousands of them.
    private static func isZero(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=0") else { return false }
        let rest = parameter.dropFirst(3)
        return rest.isEmpty || rest.first == "." && rest.dropFirst().allSatisfy { $0 == "0" }
    }

    private static func has(_ conditions: [String], _ version: String) -> Bool {
        conditions.flatMap { $0.split(separator: ",") }.contains { condition in
            let tag = condition.drop { $0 == " " }.trimmingPrefix("W/")
            return tag == version || tag == "*"
        }
    }

    private static let protections: [(String, String)] = [
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    ]

    /// Nothing comes from elsewhere, nothing stands within the page, and no other page may frame it.
    ///
    /// - Parameter host: the browser's name for the broker. Not all take `'self'` for the WebSockets of the page's host.
    static func policy(host: String?) -> String {
        let name = host.flatMap { HTTPAuthority($0) == nil ? nil : $0 }
        let sockets = name.map { " ws://\($0) wss://\($0)" } ?? ""
        return """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'\(sockets); \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }
}
