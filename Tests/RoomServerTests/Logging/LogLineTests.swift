import Foundation
import Logging
import RoomCore
import RoomModel
import Synchronization
import Testing

@testable import RoomDelivery
@testable import RoomServer

@Suite struct LogLineTests {
    /// A logger whose lines are kept, at a fixed time.
    private func lines(
        _ line: LogLine,
        level: Logger.Level = .trace,
        _ log: (inout Logger) -> Void
    ) -> [String] {
        let lines = Lines()
        var logger = Logger(label: "roomline.test") { label in
            LineLogHandler(
                label: label,
                line: line,
                threshold: LogThreshold(level),
                now: { Date(timeIntervalSince1970: 1_700_000_000.125) },
                write: { lines.append($0) }
            )
        }
        log(&logger)
        return lines.all
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func append(_ line: String) { self.lines.withLock { $0.append(line) } }

        var all: [String] { self.lines.withLock { $0 } }
    }

    @Test func `a new threshold is for all loggers but those with a level of their own`() {
        let lines = Lines()
        let threshold = LogThreshold(.info)
        let logger = Logger(label: "roomline.test") { label in
            LineLogHandler(label: label, line: self.plain, threshold: threshold, write: { lines.append($0) })
        }
        let package = logger.ofPackage
        logger.debug("one")
        threshold.level = .debug
        logger.debug("two")
        package.debug("three")
        package.notice("four")
        threshold.level = .error
        logger.notice("five")
        #expect(lines.all.map { $0.split(separator: " ").last } == ["two\n", "four\n"])
    }

    private let plain = LogLine.text(TextLogLine(usesColor: false))
    private let json = LogLine.json(JSONLogLine())

    @Test func `a warning names the connection that uses most of a loop`() throws {
        let flow = FlowDescription(
            connection: ConnectionRef(shard: 1, number: 7),
            member: .init(channel: try #require(ChannelID("default")), id: ClientID("Kf3")),
            address: IPAddress("192.0.2.1")
        )
        let lines = self.lines(self.plain) { logger in
            logger.warn(of: .init(connection: .init(flow: flow, percent: 60), unreported: 2))
            logger.warn(of: .init(connection: .init(flow: FlowDescription(), percent: 51), unreported: 0))
        }
        let start =
            "2023-11-14T22:13:20.125Z warning  a connection uses most of an event loop, others are served before it"
        #expect(
            lines == [
                start
                    + " channel=default client.id=Kf3 connection=1-7 loop.percent=60 peer.address=192.0.2.1 unreported=2\n",
                start + " loop.percent=51 peer.address=unknown unreported=0\n",
            ]
        )
    }

    @Test func `a text line has time, level, message and metadata in order`() {
        let lines = self.lines(self.plain) { logger in
            logger.info("listening", metadata: ["tcp.address": "127.0.0.1:10000", "loops": "2"])
        }
        #expect(lines == ["2023-11-14T22:13:20.125Z info     listening loops=2 tcp.address=127.0.0.1:10000\n"])
    }

    @Test func `nobody can forge a line or a terminal escape`() {
        let lines = self.lines(self.plain) { logger in
            let name = "Eve\n2023-11-14 error\r\u{1b}[31m\u{9b}\u{7f}\u{0}\u{2028}\u{202e}"
            logger.info("joined\n\u{1b}", metadata: ["name": "\(name)", "list": ["\n"]])
        }
        #expect(
            lines == [
                #"2023-11-14T22:13:20.125Z info     joined\n\u{1b} list="[\"\\n\"]" "#
                    + #"name="Eve\n2023-11-14 error\r\u{1b}[31m\u{9b}\u{7f}\u{0}\u{2028}\u{202e}""# + "\n"
            ]
        )
    }

    @Test func `a value that is not one word is quoted`() {
        let lines = self.lines(self.plain) { logger in
            logger.info("m", metadata: ["a": "x y", "b": "", "c": "k=v", "d": #"say "hi""#, "e": "Zoë"])
        }
        #expect(lines == [#"2023-11-14T22:13:20.125Z info     m a="x y" b="" c="k=v" d="say \"hi\"" e=Zoë"# + "\n"])
    }

    @Test func `colours are only there when they are wanted`() {
        let lines = self.lines(.text(TextLogLine(usesColor: true))) { $0.error("m") }
        #expect(lines == ["2023-11-14T22:13:20.125Z \u{1b}[31merror   \u{1b}[0m m\n"])
    }

    @Test func `a JSON line is one object that can be parsed`() throws {
        let name = "Eve\"\\\n\r\t\u{1b}\u{7f}\u{2028}😀\u{e0041}"
        let lines = self.lines(self.json) { logger in
            logger.warning("told \"so\"", metadata: ["name": "\(name)", "list": ["1", ["a": "b"]]])
        }
        let line = try #require(lines.first)
        #expect(line.hasSuffix("}\n"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { !$0.isUnsafeInLine })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
        let expected: NSDictionary = [
            "time": "2023-11-14T22:13:20.125Z", "level": "warning", "label": "roomline.test", "message": "told \"so\"",
            "metadata": ["name": name, "list": ["1", ["a": "b"]]] as NSDictionary,
        ]
        #expect(object == expected)
    }

    @Test func `the keys of a JSON line come in a fixed order`() {
        let lines = self.lines(self.json) { $0.info("m", metadata: ["b": "2", "a": "1"]) }
        #expect(
            lines == [
                #"{"time":"2023-11-14T22:13:20.125Z","level":"info","label":"roomline.test","message":"m","#
                    + #""metadata":{"a":"1","b":"2"}}"# + "\n"
            ]
        )
    }

    @Test func `what is nearer to the place that logs wins`() {
        struct ClientError: Error {}
        let lines = self.lines(self.plain) { logger in
            logger[metadataKey: "a"] = "logger"
            logger[metadataKey: "b"] = "logger"
            logger.info("m", error: ClientError(), metadata: ["a": "call"])
        }
        #expect(lines == ["2023-11-14T22:13:20.125Z info     m a=call b=logger error=ClientError()\n"])
    }

    @Test func `what is below the level is not logged`() {
        let lines = self.lines(self.plain, level: .warning) { logger in
            logger.info("no")
            logger.warning("yes")
        }
        #expect(lines == ["2023-11-14T22:13:20.125Z warning  yes\n"])
    }
}
