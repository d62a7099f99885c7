import Foundation
import RoomCore
import RoomModel
import Testing

@testable import RoomServer

@Suite struct OptionTableTests {
    /// An option, a value that it takes and how that is shown; values that it refuses.
    struct Row: CustomTestStringConvertible {
        let key: String
        let good: [(given: String, shown: String)]
        let bad: [String]

        init(_ key: String, good: [String], shown: [String]? = nil, bad: [String]) {
            self.key = key
            self.good = Array(zip(good, shown ?? good))
            self.bad = bad
        }

        var testDescription: String { self.key }
    }

    static let counts = ["0", "-1", "+1", "1.5", "", "many", "1e3", "99999999999999999999"]
    static let sizes = ["0", "-1", "64kb", "64 KiB", "1.5MiB", "", "KiB", "9999999999GiB"]
    static let durations = ["10", "-1s", "1y", "10 s", "", "s", "99999999999999999d"]

    static let rows = [
        Row(
            "cluster",
            good: ["nats://a:4222", "nats://a:4222,tls://[::1]:4223", "off"],
            bad: ["", "a:4222", "nats://a"]
        ),
        Row("cluster-name", good: ["rl", "chat-2"], bad: ["", "2chat", "Chat", "a.b"]),
        Row("cluster-partitions", good: ["1", "256"], bad: ["257"] + counts),
        Row("cluster-replicas", good: ["1", "5"], bad: ["6"] + counts),
        Row("cluster-ca", good: ["ca.pem", "off"], bad: [""]),
        Row(
            "cluster-monitoring",
            good: ["http://a:8222", "http://a:8222,http://[::1]:8223", "off"],
            bad: ["", "a:8222", "https://a:8222", "nats://a:4222", "http://a"]
        ),
        Row("cluster-credentials", good: ["node.creds", "off"], bad: [""]),
        Row(
            "tcp",
            good: ["127.0.0.1:0", "[::1]:65535", "localhost:10000"],
            bad: ["10000", ":10000", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:-1", "::1:10000", "a b:1", "off", ""]
        ),
        Row("http", good: ["127.0.0.1:1", "off"], bad: ["on", "10001", ""]),
        Row(
            "http-host",
            good: ["chat.example", "10.0.0.1"],
            bad: ["", "chat.example:80", "https://chat.example", "a b"]
        ),
        Row("admin-socket", good: ["/run/roomline.sock", "off", "default"], bad: [""]),
        Row("metrics", good: ["local", "token", "off"], bad: ["open", ""]),
        Row("pages", good: ["auto", "on", "off"], bad: ["true", ""]),
        Row("allow-open-channels", good: ["true", "false"], bad: ["yes", ""]),
        Row("tcp-backlog", good: ["1", "65535"], bad: counts + ["65536", "unlimited"]),
        Row("tcp-user-timeout", good: ["1s", "90000ms"], shown: ["1s", "90s"], bad: durations + ["0s", "999ms"]),
        Row("proxy-protocol", good: ["off", "required"], bad: ["on", "auto", ""]),
        Row(
            "trusted-proxies",
            good: ["127.0.0.1", "127.0.0.0/8,10.1.2.3/32,2001:DB8::/32", "off"],
            shown: ["127.0.0.1", "127.0.0.0/8,10.1.2.3,2001:db8::/32", "off"],
            bad: ["", ",", "127.0.0.1,", "127.0.0.1, 10.0.0.1", "10.0.0.1/8", "10.0.0.0/33", "localhost", "all"]
        ),
        Row("data", good: [":memory:", "/var/lib/roomline", "here"], bad: [""]),
        Row(
            "channel",
            good: ["a", "a,history=off", "a,history=5,history-age=48h,durability=power,grace=0s"],
            shown: ["a", "a,history=off", "a,history=5,history-age=2d,durability=power,grace=0ms"],
            bad: [
                "", "admin", "a b", "a,", "a,history", "a,history=0", "a,history=on", "a,grace=1", "a,durability=max",
                "a,colour=red", "a,history=1,history=2", "a,history=off,history-age=1d",
            ]
        ),
        Row("accept-lost-channels", good: ["true", "false"], bad: ["yes", ""]),
        Row("token-skew", good: ["0s", "1h"], shown: ["0ms", "1h"], bad: durations + ["61m"]),
        Row("text-room", good: ["lobby", "Le café", "off"], bad: ["", "a\nb", "\u{1b}[31m"]),
        Row("text-channel", good: ["default", "a-B_9"], bad: ["", "v3", "ä"]),
        Row("text-listen-after", good: ["1ms", "3s", "off"], bad: ["0s", "30", "-1s"]),
        Row("log-level", good: ["trace", "critical"], bad: ["loud", "INFO", ""]),
        Row("log-format", good: ["text", "json"], bad: ["xml", ""]),
        Row("loops", good: ["auto", "1", "1024"], bad: counts + ["1025"]),
        Row("drain-timeout", good: ["0s", "500ms"], shown: ["0ms", "500ms"], bad: durations),
        Row("token-skew", good: ["0s", "30s"], shown: ["0ms", "30s"], bad: durations),
        Row("handshake-timeout", good: ["1ms", "60s"], shown: ["1ms", "1m"], bad: durations + ["0s"]),
        Row("http-header-timeout", good: ["500ms"], bad: durations + ["0s"]),
        Row("http-idle-timeout", good: ["2m"], bad: durations + ["0s"]),
        Row("token-timeout", good: ["1s", "2m"], bad: durations + ["0s"]),
        Row("text-handshake-timeout", good: ["24h"], shown: ["1d"], bad: durations + ["0s"]),
        Row("max-connections", good: ["1", "unlimited"], bad: counts),
        Row("max-connections-per-ip", good: ["1", "unlimited"], bad: counts),
        Row("connection-rate", good: ["1", "unlimited"], bad: counts),
        Row("websocket-ping", good: ["1s", "5m", "off"], bad: ["0s", "30", "-1s"]),
        Row("bad-frame-rate", good: ["1", "unlimited"], bad: counts),
        Row("max-silent-connections", good: ["1", "unlimited"], bad: counts),
        Row(
            "max-line",
            good: ["131072", "1MiB", "16MiB"],
            shown: ["128KiB", "1MiB", "16MiB"],
            bad: sizes + ["17MiB"]
        ),
        Row("max-message", good: ["1000", "128KiB"], bad: sizes + ["17MiB", "unlimited"]),
        Row("max-client-data", good: ["4096"], shown: ["4KiB"], bad: sizes),
        Row("max-nesting", good: ["1", "1000"], bad: counts + ["1001"]),
        Row("max-room-name", good: ["5", "4096"], bad: counts + ["4097"]),
        Row("max-rooms-per-connection", good: ["1", "unlimited"], bad: counts),
        Row("max-rooms-per-channel", good: ["1", "unlimited"], bad: counts),
        Row("max-stored-rooms", good: ["1", "unlimited"], bad: counts),
        Row("max-members-listed", good: ["1", "unlimited"], bad: counts),
        Row("max-member-list", good: ["64KiB", "unlimited"], bad: sizes),
        Row("max-history-limit", good: ["1", "unlimited"], bad: counts),
        Row("publish-rate", good: ["1", "unlimited"], bad: counts),
        Row("new-room-rate", good: ["1", "unlimited"], bad: counts),
        Row("memory-total", good: ["1GiB", "unlimited"], bad: sizes),
        Row("input-total", good: ["1GiB", "unlimited"], bad: sizes),
        Row("window-per-room", good: ["1024", "1MiB"], shown: ["1KiB", "1MiB"], bad: sizes + ["1023", "unlimited"]),
        Row("window-total", good: ["1GiB", "unlimited"], bad: sizes),
        Row("publish-keys-total", good: ["64MiB", "unlimited"], bad: sizes),
        Row("max-unread-replies", good: ["64KiB", "unlimited"], bad: sizes),
        Row("unread-total", good: ["1GiB", "unlimited"], bad: sizes),
        Row("max-lingering-rooms", good: ["1", "unlimited"], bad: counts),
    ]

    @Test(arguments: rows)
    func `an option takes what it says`(row: Row) throws {
        for (given, shown) in row.good {
            let loaded = try LoadedConfiguration.make("--trusted-proxies=127.0.0.1", "--\(row.key)=\(given)")
            #expect(OptionTable.option(row.key)?.text(in: loaded.configuration) == shown)
        }
    }

    @Test(arguments: rows)
    func `an option refuses the rest with key, value and what is allowed`(row: Row) throws {
        let option = try #require(OptionTable.option(row.key))
        for value in row.bad {
            let error = #expect(throws: ConfigurationError.self, "\(value)") {
                try LoadedConfiguration.make("--\(row.key)=\(value)")
            }
            guard case .badValue("--\(option.key)", let named, let allowed, .flag) = error else {
                Issue.record("\(value): \(String(describing: error))")
                continue
            }
            #expect(named == "\"\(value)\"" || value.contains(named.dropFirst().dropLast()))
            #expect(!allowed.isEmpty)
            #expect(error?.exitCode == 64)
        }
    }

    @Test func `every option is tried here`() {
        // They need another one, or a file that exists: see ConfigurationCheckTests.
        let elsewhere: Set = [
            "tls-certificate", "tls-key", "cluster-certificate", "cluster-key", "cluster-user", "cluster-password-file",
            "cluster-nkey", "cluster-nkey-seed",
        ]
        #expect(Set(Self.rows.map(\.key)).union(elsewhere) == Set(OptionTable.options.map(\.key)))
    }

    @Test func `keys and variables are unique and of one form`() {
        let keys = OptionTable.options.map(\.key)
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys).isDisjoint(with: ConfigurationLoader.commandKeys))
        #expect(OptionTable.option("max-rooms-per-channel")?.variable == "ROOMLINE_MAX_ROOMS_PER_CHANNEL")
    }

    @Test func `the default that is shown can be given`() throws {
        for option in OptionTable.options where option.defaultNote == nil && !option.key.hasPrefix("tls-") {
            let loaded = try LoadedConfiguration.make("--\(option.key)=\(option.defaultText)")
            #expect(option.text(in: loaded.configuration) == option.defaultText)
        }
    }

    @Test func `unlimited is the largest number`() throws {
        let loaded = try LoadedConfiguration.make("--max-connections-per-ip", "unlimited")
        #expect(loaded.configuration.connections.perAddress == .max)
    }

    @Test func `the help names every option, with its text on one line below it`() throws {
        let lines = OptionHelp.text.split(separator: "\n")
        for option in OptionTable.options {
            let index = try #require(lines.firstIndex { $0 == "  \(option.usage)" })
            #expect(lines[index + 1].hasPrefix("      \(option.help)"))
        }
    }

    @Test func `the page of options says what the table says`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/configuration.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        for option in OptionTable.options {
            let cells = [option.usage, option.defaultText].map { "`\($0.replacing("|", with: "\\|"))`" }
            #expect(text.contains("\n| \(cells[0]) | \(cells[1]) | \(option.help.replacing("|", with: "\\|")) |\n"))
        }
    }
}
