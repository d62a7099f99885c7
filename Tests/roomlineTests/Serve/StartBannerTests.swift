import Testing

@testable import RoomServer
@testable import roomline

@Suite struct StartBannerTests {
    private static let home = "/home/luke/.local/share/roomline"

    private func lines(
        data: StorageLocation = .directory(home),
        socket: String? = "\(home)/admin.sock",
        pages: String? = "http://127.0.0.1:10001",
        channels: [(id: String, history: String)] = [("default", "1000 messages, 30d")]
    ) -> [String] {
        let banner = StartBanner(palette: .plain, program: "bin/roomline", environment: ["HOME": "/home/luke"])
        let report = StartReport(
            url: "tcp://127.0.0.1:10000",
            pages: pages,
            adminSocket: socket,
            storage: data,
            channels: channels
        )
        return banner.text(report).split(separator: "\n").map(String.init)
    }

    @Test func `a newcomer is told what there is`() {
        #expect(
            self.lines() == [
                "Roomline \(BrokerVersion.full) is running. Ctrl-C stops it.",
                "  broker   tcp://127.0.0.1:10000",
                "  chat     http://127.0.0.1:10001/",
                "  console  bin/roomline console --open",
                "  data     /home/luke/.local/share/roomline",
                "  history  default: 1000 messages, 30d",
            ]
        )
    }

    @Test func `the chat is in a channel that there is`() {
        func chat(_ channels: [String]) -> String? {
            self.lines(channels: channels.map { ($0, "off") }).first { $0.hasPrefix("  chat") }
        }
        #expect(chat(["brief", "default"]) == "  chat     http://127.0.0.1:10001/")
        #expect(chat(["talk", "game"]) == "  chat     http://127.0.0.1:10001/?channel=talk")
        #expect(chat([]) == nil)
    }

    @Test func `the command for the console finds this broker`() {
        func command(_ lines: [String]) -> String? { lines.first { $0.hasPrefix("  console") } }
        #expect(
            command(self.lines(data: .directory("/srv/a b"), socket: "/srv/a b/admin.sock"))
                == "  console  bin/roomline console --open --data '/srv/a b'"
        )
        #expect(
            command(self.lines(socket: "/run/admin.sock"))
                == "  console  bin/roomline console --open --socket /run/admin.sock"
        )
        #expect(
            command(self.lines(data: .memory, socket: "/run/admin.sock"))
                == "  console  bin/roomline console --open --socket /run/admin.sock"
        )
        #expect(command(self.lines(socket: nil)) == nil)
        #expect(command(self.lines(pages: nil)) == nil)
    }

    @Test func `only some of many channels are named`() {
        let lines = self.lines(data: .memory, channels: (1...7).map { ("c\($0)", $0 == 1 ? "off" : "1 message, 1h") })
        #expect(lines.contains("  data     kept in memory only"))
        #expect(lines.suffix(6).first == "  history  c1: off" && lines.last == "           and 2 more channels")
    }
}
