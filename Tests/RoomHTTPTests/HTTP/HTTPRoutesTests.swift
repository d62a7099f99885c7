import NIOCore
import NIOHTTP1
import Testing

@testable import RoomHTTP

@Suite struct HTTPRoutesTests {
    /// Answers with the name of the route, and the parameters of the path.
    private let routes: HTTPRoutes = {
        var routes = HTTPRoutes()
        let paths: [(HTTPMethod, String)] = [
            (.GET, ""), (.GET, "health"), (.GET, "rooms/:room"), (.DELETE, "rooms/:room"), (.POST, "rooms"),
            (.GET, "rooms/:room/members/:member"), (.GET, "rooms/:room/:part"), (.POST, "acts/clear"),
        ]
        for (method, path) in paths {
            routes.on(method, path) { _, context in
                let parameters = context.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                let text = (["\(method.rawValue) /\(path)"] + parameters).joined(separator: " ")
                return .json(ByteBuffer(string: text))
            }
        }
        return routes
    }()

    private func answer(_ method: HTTPMethod = .GET, _ target: String) async throws -> String {
        try await self.routes.respond(to: .make(method, target)).text
    }

    private func problem(_ method: HTTPMethod = .GET, _ target: String) async -> Problem? {
        do {
            _ = try await self.routes.respond(to: .make(method, target))
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test(
        arguments: [
            ("/", "GET /"), ("/?a=/b", "GET /"), ("/health", "GET /health"), ("/health?x", "GET /health"),
            ("/rooms/lobby", "GET /rooms/:room room=lobby"), ("/rooms/lobby?room=x", "GET /rooms/:room room=lobby"),
            ("/rooms/a/members/b", "GET /rooms/:room/members/:member member=b room=a"),
            ("/rooms/a/members", "GET /rooms/:room/:part part=members room=a"),
            ("/rooms/members/members/members", "GET /rooms/:room/members/:member member=members room=members"),
        ]
    )
    func `a path finds its route, and the names in it are parameters`(target: String, answer: String) async throws {
        #expect(try await self.answer(.GET, target) == answer)
    }

    @Test(arguments: ["/health/", "//health", "//health//?x"]) func `empty names do not count`(
        target: String
    ) async throws {
        #expect(try await self.answer(.GET, target) == "GET /health")
    }

    @Test(arguments: ["a%2Fb", "%F0%9F%98%80", "%", "%zz", "a+b", "..", ":room"])
    func `a parameter is what was sent, and a slash within it is none`(name: String) async throws {
        #expect(try await self.answer(.GET, "/rooms/\(name)") == "GET /rooms/:room room=\(name)")
    }

    @Test(arguments: ["/none", "/health/x", "/Health", "/%68ealth", "/rooms/a/b/c", "/rooms/a/members/b/c", "/acts/"])
    func `there is nothing under another path`(target: String) async throws {
        let problem = try #require(await self.problem(.GET, target))
        #expect(problem.status == .notFound && problem.code == .notFound)
        #expect(problem.detail == "there is nothing under this path")
    }

    @Test(
        arguments: [
            (HTTPMethod.PUT, "/rooms/a", "DELETE, GET, HEAD"), (.OPTIONS, "/health", "GET, HEAD"),
            (.GET, "/acts/clear", "POST"), (.HEAD, "/acts/clear", "POST"), (.RAW(value: "QUERY"), "/rooms/", "POST"),
            (.TRACE, "/", "GET, HEAD"),
        ]
    )
    func `another method is told which there are`(method: HTTPMethod, target: String, allow: String) async throws {
        let problem = try #require(await self.problem(method, target))
        #expect(problem.status == .methodNotAllowed && problem.code == .methodNotAllowed)
        #expect(problem.detail == "\(method.rawValue) is not allowed here; use one of \(allow)")
        #expect(problem.headers == ["Allow": allow])
    }

    @Test func `there is nothing for a method that is none of HTTP itself`() async throws {
        #expect(await self.problem(.PROPFIND, "/health")?.code == .notFound)
    }

    @Test func `HEAD goes where GET goes`() async throws {
        #expect(try await self.answer(.HEAD, "/rooms/lobby") == "GET /rooms/:room room=lobby")
    }

    @Test(
        arguments: [
            ("/", "/"), ("/rooms/lobby", "/rooms/{room}"), ("/rooms/a/members/b", "/rooms/{room}/members/{member}"),
            ("/acts/clear", "/acts/clear"), ("/none", "before"),
        ]
    )
    func `metrics count by the path without the names in it`(target: String, expected: String) async throws {
        var pattern = "before"
        // 404 and 405 are thrown, and counted, too
        _ = try? await self.routes.respond(to: .make(.GET, target), .make(), &pattern)
        #expect(pattern == expected)
    }

    @Test(
        arguments: [
            ("/a?b=c?d", "/a", "b=c?d"), ("/a", "/a", ""), ("/a?", "/a", ""), ("/é?\u{301}x", "/é", "\u{301}x"),
        ]
    )
    func `a target is a path and a query`(target: String, path: String, query: String) {
        let request = HTTPRequest.make(.GET, target)
        #expect(request.path == path && request.query == query)
    }

    @Test func `a field that is repeated is one list`() {
        var headers: HTTPHeaders = ["Accept": "a", "accept": "b"]
        #expect(headers[field: "ACCEPT"] == "a, b" && headers[field: "None"] == nil)
        headers[field: "Accept"] = "c"
        #expect(headers["accept"] == ["c"])
        headers[field: "accept"] = nil
        #expect(headers.isEmpty)
    }
}
