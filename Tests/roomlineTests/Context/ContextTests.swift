import ArgumentParser
import Foundation
import Testing

@testable import roomline

/// Which broker, token and channel a command uses: option, then environment, then context, then default.
@Suite struct ContextTests {
    private static let prod = Context(
        server: "tls://prod:10000",
        adminServer: "https://prod:10001",
        channel: "shop",
        tokenFile: "/prod.token",
        adminTokenFile: "/prod.admin",
        trust: "/prod.pem"
    )

    /// A configuration directory of its own, in which `prod` is in use.
    private func withContexts<Value>(
        current: String? = "prod",
        _ contexts: [String: Context] = ["prod": prod],
        _ environment: [String: String] = [:],
        _ body: ([String: String]) throws -> Value
    ) throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "contexts-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let all = environment.merging(["XDG_CONFIG_HOME": directory.path(percentEncoded: false)]) { $1 }
        let store = try #require(ContextStore(environment: all))
        try store.save(ContextFile(current: current, contexts: contexts))
        return try body(all)
    }

    private func client(_ words: [String], _ environment: [String: String] = [:]) throws -> ClientOptions {
        try self.withContexts(
            [
                "prod": Self.prod, "admin": Context(adminServer: "https://a"), "plain": Context(channel: "games"),
            ],
            environment
        ) { try ClientOptions.parse(words).resolved(environment: $0) }
    }

    private func admin(
        _ words: [String],
        _ environment: [String: String] = [:]
    ) throws -> (options: AdminOptions, channel: String?) {
        try self.withContexts(
            [
                "prod": Self.prod, "chat": Context(server: "tcp://c"), "plain": Context(channel: "games"),
            ],
            environment
        ) { environment in
            let (options, active) = try AdminOptions.parse(words).resolved(environment: environment)
            return (options, active?.context.channel)
        }
    }

    @Test func `a client uses all of the context that is in use`() throws {
        let options = try self.client([])
        #expect(try options.urls().first == "tls://prod:10000" && options.channel == "shop")
        #expect(options.tokenFile == "/prod.token" && options.trust == "/prod.pem")
        let other = try self.client(["--channel", "x", "--token-file", "t"])
        #expect(try other.urls().first == "tls://prod:10000" && other.channel == "x" && other.tokenFile == "t")
    }

    @Test(arguments: [["--server", "tcp://b"], ["--context", "prod", "--server", "tcp://b"]])
    func `a client that is told another broker uses nothing of the context`(words: [String]) throws {
        let options = try self.client(words)
        #expect(try options.urls().first == "tcp://b" && options.channel == "default")
        #expect(options.tokenFile == nil && options.trust == nil)
    }

    @Test func `the environment overrides a context unless an option names it`() throws {
        let server = ["ROOMLINE_SERVER": "tcp://b"]
        #expect(try self.client([], server).server == nil)
        #expect(try self.client([], server).tokenFile == nil)
        #expect(try self.client(["--context", "prod"], server).urls().first == "tls://prod:10000")
        let token = ["ROOMLINE_TOKEN": "x"]
        #expect(try self.client([], token).tokenFile == nil)
        #expect(try self.client(["--context", "prod"], token).tokenFile == "/prod.token")
        #expect(try self.client([], ["ROOMLINE_CONTEXT": "plain"]).channel == "games")
    }

    @Test func `a context without the kind of address that is needed is refused`() {
        #expect(throws: CommandFailure.self) { try self.client(["--context", "admin"]) }
        #expect(throws: CommandFailure.self) { try self.admin(["--context", "chat"]) }
        #expect(throws: CommandFailure.self) { try self.client(["--context", "prd"]) }
        #expect(throws: CommandFailure.self) { try self.client([], ["ROOMLINE_CONTEXT": "prd"]) }
    }

    @Test func `an admin command uses all of the context that is in use`() throws {
        let (options, channel) = try self.admin([])
        #expect(options.server == "https://prod:10001" && options.tokenFile == "/prod.admin")
        #expect(options.trust == "/prod.pem" && channel == "shop")
        #expect(try self.admin(["--token-file", "t"]).options.tokenFile == "t")
        #expect(try self.admin([], ["ROOMLINE_TOKEN": "x"]).options.tokenFile == nil)
        #expect(try self.admin(["--context", "prod"], ["ROOMLINE_TOKEN": "x"]).options.tokenFile == "/prod.admin")
    }

    @Test(arguments: [["--socket", "/s"], ["--context", "prod", "--data", "/d"], ["--server", "https://b"]])
    func `an admin command that is told another broker uses nothing of the context`(words: [String]) throws {
        let (options, channel) = try self.admin(words)
        #expect(options.tokenFile == nil && options.trust == nil && channel == nil)
        #expect(options.server != "https://prod:10001")
    }

    @Test func `an admin command goes by the environment before the context`() throws {
        for variable in ["ROOMLINE_DATA", "ROOMLINE_ADMIN_SOCKET"] {
            #expect(try self.admin([], [variable: "/d"]).options.server == nil)
            #expect(try self.admin(["--context", "prod"], [variable: "/d"]).options.server == "https://prod:10001")
        }
        #expect(throws: CommandFailure.self) { try self.admin(["--context", "plain", "--token-file", "t"]) }
        #expect(throws: CommandFailure.self) { try self.admin(["--context", "plain", "--trust", "t"]) }
    }

    @Test func `what was saved is private and is read again`() throws {
        try self.withContexts { environment in
            let store = try #require(ContextStore(environment: environment))
            let file = try store.load()
            #expect(file == ContextFile(current: "prod", contexts: ["prod": Self.prod]))
            let mode = try FileManager.default.attributesOfItem(atPath: store.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try store.save(ContextFile())
            #expect(try store.load() == ContextFile())
        }
        #expect(ContextStore(environment: ["XDG_CONFIG_HOME": "relative"]) == nil)
        #expect(try #require(ContextStore(environment: ["HOME": "/h"])).path == "/h/.config/roomline/contexts.json")
    }

    @Test(arguments: [("a", true), ("prod-1.eu_x", true), ("", false), ("a b", false), ("ü", false), ("a/b", false)])
    func `a name has letters, digits and few signs`(name: String, isOne: Bool) {
        #expect(ContextFile.isName(name) == isOne)
    }
}
