import NIOCore
import NIOHTTP1
import RoomCore
import RoomJSON
import RoomModel
import Testing

@testable import RoomHTTP

@Suite struct ConsoleRoutesTests {
    private static let local = HTTPPeer(transport: .tcp, address: IPAddress("127.0.0.1"), isLocal: true)
    private static let session = "/console/session"

    /// The browser's side of a session.
    private struct Browser {
        let bench: AdminBench
        var cookie: String?
        var csrf: String?
        var peer = ConsoleRoutesTests.local

        var headers: HTTPHeaders {
            var headers = HTTPHeaders()
            if let cookie { headers[field: "Cookie"] = "theme=dark; \(cookie)" }
            headers[field: "X-Roomline-CSRF"] = self.csrf
            return headers
        }

        mutating func signIn(_ body: String) async throws -> AdminBench.Answer {
            let answer = try await self.bench.call(.POST, at: session, body, from: self.peer)
            self.cookie = answer.headers[field: "Set-Cookie"]?.split(separator: ";").first.map(String.init)
            if answer.status == .ok, case .string(let csrf)? = try answer.json["csrf"] { self.csrf = csrf }
            return answer
        }

        func call(
            _ method: HTTPMethod,
            _ path: String,
            _ body: String? = nil,
            more: HTTPHeaders = [:]
        ) async throws -> AdminBench.Answer {
            let path = path.hasPrefix("/") ? path : "/admin/v1/\(path)"
            return try await self.bench.call(method, at: path, body, headers: self.headers + more, from: self.peer)
        }
    }

    private let bench: AdminBench

    init() throws {
        self.bench = try AdminBench(hasConsole: true)
    }

    private func makeToken(_ name: String, _ scope: String, seconds: Int? = nil) async throws -> String {
        let lasting = seconds.map { ",\"expires_in_seconds\":\($0)" } ?? ""
        let answer = try await self.bench.call(
            .POST,
            "tokens",
            "{\"name\":\"\(name)\",\"scopes\":[\"\(scope)\"]\(lasting)}"
        )
        guard case .string(let text)? = try answer.json["token"] else { return "" }
        return text
    }

    private func signedIn(_ scope: String = "manage") async throws -> Browser {
        var browser = Browser(bench: self.bench)
        let token = try await self.makeToken("ops", scope)
        #expect(try await browser.signIn("{\"token\":\"\(token)\"}").status == .ok)
        return browser
    }

    @Test func `a token begins a session, which may do what the token may`() async throws {
        var browser = Browser(bench: self.bench)
        let token = try await self.makeToken("ops", "moderate")
        let answer = try await browser.signIn("{\"token\":\"\(token)\"}")
        let cookie = try #require(answer.headers[field: "Set-Cookie"])
        #expect(cookie.hasPrefix("roomline_console=") && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(try answer.json["name"] == .string("token:ops"))
        #expect(try answer.json["scopes"] == .array([.string("moderate")]))
        #expect(try await browser.call(.GET, "channels").status == .ok)
        #expect(try await browser.call(.GET, "tokens").text.contains("the token ops has moderate"))
        let shown = try await browser.call(.GET, Self.session)
        #expect(shown.status == .ok && !shown.text.contains("csrf"))
    }

    @Test func `what it does is done by the token`() async throws {
        let browser = try await self.signedIn()
        #expect(try await browser.call(.DELETE, "tokens/ops").status == .noContent)
        let audit = try await self.bench.call(.GET, "audit").text
        #expect(audit.contains("\"actor\":\"token:ops\",\"origin\":\"127.0.0.1\""))
        #expect(try await browser.call(.GET, "channels").text.hasPrefix("session_ended"), "with its token")
    }

    @Test func `the cookie alone opens nothing, also no reading`() async throws {
        var browser = try await self.signedIn()
        browser.csrf = nil
        for (method, path) in [(HTTPMethod.GET, "channels"), (.DELETE, "tokens/ops"), (.GET, Self.session)] {
            #expect(try await browser.call(method, path).text.hasPrefix("csrf_token_missing"))
        }
        browser.csrf = String(repeating: "s", count: 43)
        #expect(try await browser.call(.DELETE, Self.session).text.hasPrefix("csrf_token_missing"))
    }

    @Test(arguments: ["cross-site", "same-site", "none"])
    func `a page of another site cannot use it`(site: String) async throws {
        let browser = try await self.signedIn()
        let name = "Sec-Fetch-Site"
        #expect(try await browser.call(.GET, "channels", more: [name: site]).text.hasPrefix("origin_refused"))
        #expect(try await browser.call(.GET, "channels", more: [name: "same-origin"]).status == .ok)
    }

    @Test func `it ends when it is told to`() async throws {
        let browser = try await self.signedIn()
        let answer = try await browser.call(.DELETE, Self.session)
        #expect(answer.status == .noContent && answer.headers[field: "Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(try await browser.call(.GET, "channels").text.hasPrefix("session_ended"))
    }

    @Test func `a link of the Unix socket begins a session, once`() async throws {
        let link = try await self.bench.call(.POST, "console-links")
        guard link.status == .created, case .string(let url)? = try link.json["url"] else {
            Issue.record("\(link.text)")
            return
        }
        #expect(url.hasPrefix("http://127.0.0.1:10001/console#code="))
        let code = url.drop { $0 != "=" }.dropFirst()
        var browser = Browser(bench: self.bench)
        #expect(try await browser.signIn("{\"code\":\"\(code)\"}").json["name"] == .string("uid:7"))
        #expect(try await browser.call(.GET, "tokens").status == .ok)
        var other = Browser(bench: self.bench)
        #expect(try await other.signIn("{\"code\":\"\(code)\"}").text.hasPrefix("token_invalid"))
        let more = try await browser.call(.POST, "console-links")
        #expect(more.text.hasPrefix("permission_denied"), "a session makes no others")
    }

    @Test(
        arguments: [
            ("{}", "invalid_field"), ("{\"token\":\"a\",\"code\":\"b\"}", "invalid_field"),
            ("{\"token\":\"rla_x\"}", "token_invalid"), ("{\"code\":\"x\"}", "token_invalid"),
            ("{\"token\":7}", "invalid_field"), ("{\"tokne\":\"\"}", "unknown_field"), ("[", "malformed_json"),
        ]
    )
    func `what proves nothing begins nothing`(body: String, code: String) async throws {
        var browser = Browser(bench: self.bench)
        let answer = try await browser.signIn(body)
        #expect(answer.text.hasPrefix(code) && answer.headers[field: "Set-Cookie"] == nil)
    }

    @Test func `a form of another site is not a document`() async throws {
        let answer = try await self.bench.call(
            .POST,
            at: Self.session,
            "{\"code\":\"x\"}",
            headers: ["Content-Type": "text/plain"],
            from: Self.local
        )
        #expect(answer.status == .unsupportedMediaType)
    }

    @Test func `nobody signs in where others could listen`() async throws {
        let token = try await self.makeToken("ops", "read")
        var browser = Browser(bench: self.bench)
        browser.peer = HTTPPeer(transport: .tcp, address: IPAddress("192.0.2.1"), isLocal: false)
        #expect(try await browser.signIn("{\"token\":\"\(token)\"}").text.hasPrefix("permission_denied"))
        browser.peer.transport = .tls
        let answer = try await browser.signIn("{\"token\":\"\(token)\"}")
        #expect(answer.headers[field: "Set-Cookie"]?.hasSuffix("; Secure") == true)
    }

    @Test func `guesses are throttled`() async throws {
        var browser = Browser(bench: self.bench)
        browser.peer = HTTPPeer(transport: .tls, address: IPAddress("192.0.2.1"), isLocal: false)
        for _ in 0..<10 { _ = try await browser.signIn("{\"code\":\"x\"}") }
        #expect(try await browser.signIn("{\"code\":\"x\"}").status == .tooManyRequests)
    }

    @Test func `the cookie's name has the port`() {
        #expect(
            ConsoleCookie(host: "localhost:10001").setting("x", isSecure: false).hasPrefix("roomline_console_10001=x;")
        )
        let headers: HTTPHeaders = ["Cookie": "roomline_console_1=a; roomline_console=b; xroomline_console=c"]
        #expect(ConsoleCookie(host: "localhost").value(in: headers) == "b")
        #expect(ConsoleCookie(host: "localhost:1").value(in: headers) == "a")
        #expect(ConsoleCookie(host: "localhost:2").value(in: headers) == nil)
    }

    @Test func `a broker without pages has no console`() async throws {
        let bench = try AdminBench()
        #expect(try await bench.call(.POST, "console-links").text.hasPrefix("console_off"))
        #expect(try await bench.call(.GET, at: Self.session).status == .notFound)
    }
}

extension HTTPHeaders {
    fileprivate static func + (left: HTTPHeaders, right: HTTPHeaders) -> HTTPHeaders {
        var both = left
        both.add(contentsOf: right)
        return both
    }
}
