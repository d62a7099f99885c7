import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import RoomHTTP

@Suite struct PageRoutesTests {
    private let responder: any HTTPResponder<HTTPRequestContext>

    init() {
        let routes = HTTPRoutes()
        PageRoutes().addRoutes(to: routes)
        self.responder = routes.responder()
    }

    private func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> (Response, String) {
        let head = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: "localhost:10001",
            path: path,
            headerFields: headers
        )
        let source = HTTPRequestSource(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            peer: HTTPPeer(transport: .tcp, address: nil, isLocal: true),
            drain: DrainSignal()
        )
        let response = try await self.responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: HTTPRequestContext(source: source)
        )
        let text = NIOLockedValueBox("")
        try await response.body.write(TextWriter(text: text))
        return (response, text.withLockedValue(\.self))
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
        #expect(response.headers[.contentType] == type)
        #expect(response.headers[.cacheControl] == "no-cache")
        let policy = try #require(response.headers[.contentSecurityPolicy])
        #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("connect-src 'self' ws://localhost:10001 wss://localhost:10001;"))
        let names = ["Referrer-Policy", "Cross-Origin-Resource-Policy"]
        for name in names { #expect(response.headers[try #require(HTTPField.Name(name))] != nil) }
    }

    @Test func `the console is out of reach of the page that opened it, and the chat is there at once`() async throws {
        let name = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        #expect(try await self.get("/console").0.headers[name] == "same-origin")
        #expect(try await self.get("/").0.headers[name] == nil)
    }

    @Test func `a file that the browser has is not sent again`() async throws {
        let (first, _) = try await self.get("/roomline.js")
        let version = try #require(first.headers[.eTag])
        for condition in [version, "\"other\", W/\(version)", "*"] {
            let (again, text) = try await self.get("/roomline.js", [.ifNoneMatch: condition])
            #expect(again.status == .notModified && text.isEmpty && again.headers[.eTag] == version)
        }
        #expect(try await self.get("/roomline.js", [.ifNoneMatch: "\"other\""]).0.status == .ok)
    }

    @Test func `whoever takes gzip gets it`() async throws {
        let (plain, _) = try await self.get("/roomline.js")
        #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
        let (response, _) = try await self.get("/roomline.js", [.acceptEncoding: "br, gzip"])
        let (file, length) = (try #require(PageFile.all["roomline.js"]), try #require(response.body.contentLength))
        #expect(response.headers[.contentEncoding] == "gzip")
        #expect(length * 2 < file.bytes.readableBytes)
        let version = try #require(response.headers[.eTag])
        #expect(try await self.get("/roomline.js", [.ifNoneMatch: version]).0.status == .notModified)
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
        let status: HTTPResponse.Status
        do { status = try await self.get(path).0.status } catch let problem as Problem { status = problem.status }
        #expect(status == .notFound)
    }

    @Test(arguments: [nil, "evil.example; script-src *", "a b", "x'self'"])
    func `the policy has the name only if it is one`(host: String?) {
        #expect(PageRoutes.policy(host: host).contains("connect-src 'self'; "))
    }
}
