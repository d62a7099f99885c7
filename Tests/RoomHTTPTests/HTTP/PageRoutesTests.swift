import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Testing

@testable import RoomHTTP

@Suite struct PageRoutesTests {
    private let routes: HTTPRoutes

    init() {
        var routes = HTTPRoutes()
        PageRoutes().addRoutes(to: &routes)
        self.routes = routes
    }

    private func get(_ path: String, _ headers: HTTPHeaders = [:]) async throws -> (HTTPResponse, String) {
        let request = HTTPRequest.make(.GET, path, host: "localhost:10001", headers: headers)
        let response = try await self.routes.respond(to: request)
        return (response, try await response.text)
    }

    /// The folder of the pages.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/RoomHTTP/Pages").standardized

    @Test func `Sources CPages pages.c lists the files of the folder, byte for byte`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { !$0.hasPrefix(".") }
        #expect(Set(names) == Set(PageFile.all.keys))
        for (name, file) in PageFile.all {
            #expect(
                try Data(contentsOf: Self.folder.appendingPathComponent(name)) == Data(file.bytes.readableBytesView)
            )
        }
    }

    @Test func `all that a page loads is there`() async throws {
        for page in ["/", "/console"] {
            let (_, html) = try await self.get(page)
            let links = html.matches(of: /(?:src|href)="(\/[^"]+)"/).map { String($0.1) }.filter { $0 != "/" }
            #expect(links.count > 2)
            for link in links {
                #expect(try await self.get(link).0.status == .ok, "\(page) loads \(link)")
            }
        }
    }

    @Test(
        arguments: [
            ("/", "text/html; charset=utf-8"), ("/console", "text/html; charset=utf-8"),
            ("/roomline.js", "text/javascript; charset=utf-8"), ("/roomline.d.ts", "text/plain; charset=utf-8"),
            ("/assets/chat.css", "text/css; charset=utf-8"), ("/assets/icon.svg", "image/svg+xml"),
        ]
    )
    func `a file has its type, and what keeps strangers out`(path: String, type: String) async throws {
        let (response, _) = try await self.get(path)
        #expect(response.headers[field: "Content-Type"] == type)
        #expect(response.headers[field: "Cache-Control"] == "no-cache")
        let policy = try #require(response.headers[field: "Content-Security-Policy"])
        #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("connect-src 'self' ws://localhost:10001 wss://localhost:10001;"))
        let names = ["Referrer-Policy", "Cross-Origin-Resource-Policy"]
        for name in names { #expect(response.headers.contains(name: name)) }
    }

    @Test func `the console is out of reach of the page that opened it, and the chat is there at once`() async throws {
        let name = "Cross-Origin-Opener-Policy"
        #expect(try await self.get("/console").0.headers[field: name] == "same-origin")
        #expect(try await self.get("/").0.headers[field: name] == nil)
    }

    @Test func `a file that the browser has is not sent again`() async throws {
        let (first, _) = try await self.get("/roomline.js")
        let version = try #require(first.headers[field: "ETag"])
        for condition in [version, "\"other\", W/\(version)", "*"] {
            let (again, text) = try await self.get("/roomline.js", ["If-None-Match": condition])
            #expect(again.status == .notModified && text.isEmpty && again.headers[field: "ETag"] == version)
        }
        #expect(try await self.get("/roomline.js", ["If-None-Match": "\"other\""]).0.status == .ok)
    }

    @Test func `whoever takes gzip gets it`() async throws {
        let (plain, _) = try await self.get("/roomline.js")
        #expect(plain.headers[field: "Content-Encoding"] == nil && plain.headers[field: "Vary"] == "Accept-Encoding")
        let (response, _) = try await self.get("/roomline.js", ["Accept-Encoding": "br, gzip"])
        let (file, length) = (try #require(PageFile.all["roomline.js"]), try #require(response.body.length))
        #expect(response.headers[field: "Content-Encoding"] == "gzip")
        #expect(length * 2 < file.bytes.readableBytes)
        let version = try #require(response.headers[field: "ETag"])
        #expect(try await self.get("/roomline.js", ["If-None-Match": version]).0.status == .notModified)
    }

    @Test(
        arguments: [
            ("gzip", true), ("br;q=1, GZIP ; q=0.5", true), ("deflate", false), ("gzip;q=0", false),
            ("gzip; q=0.00, br", false), ("x-gzip", false), ("", false),
        ]
    )
    func `gzip is taken where it is named`(field: String, isTaken: Bool) {
        #expect(PageRoutes.takesGzip([field]) == isTaken)
    }

    @Test(arguments: ["/assets/none.js", "/assets/chat.html", "/assets/..%2Fchat.js", "/assets/"])
    func `there is nothing else`(path: String) async throws {
        let status: HTTPResponseStatus
        do { status = try await self.get(path).0.status } catch let problem as Problem { status = problem.status }
        #expect(status == .notFound)
    }

    @Test(arguments: [nil, "evil.example; script-src *", "a b", "x'self'"])
    func `the policy has the name only if it is one`(host: String?) {
        #expect(PageRoutes.policy(host: host).contains("connect-src 'self'; "))
    }
}
