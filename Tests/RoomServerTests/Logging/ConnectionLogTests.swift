import Logging
import RoomCore
import RoomModel
import Synchronization
import Testing

@testable import RoomDelivery
@testable import RoomServer

struct ConnectionLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        let time = Mutex<UInt64>(0)
    }

    private let lines = Lines()
    private let connection = ConnectionRef(shard: 1, number: 7)

    private func log(_ level: Logger.Level) -> ConnectionLog {
        let logger = Logger(label: "roomline.test") { [lines] label in
            let line = LogLine.text(TextLogLine(usesColor: false))
            return LineLogHandler(label: label, line: line, threshold: LogThreshold(level)) { text in
                // without the time
                lines.all.withLock { $0.append(text.split(separator: " ").dropFirst().joined(separator: " ")) }
            }
        }
        return ConnectionLog(logger, now: { [lines] in lines.time.withLock { $0 } })
    }

    private func end(_ log: ConnectionLog, _ reason: EndReason) {
        let address = IPAddress("192.0.2.1")
        let party = ConnectionParty(address: address, client: ClientID("Kf3"), channel: ChannelID("default"))
        log.ended(self.connection, by: reason, "too slow", as: party)
    }

    @Test func `what the broker ended is told, and what the client ended is not`() {
        let log = self.log(.info)
        log.opened(self.connection, from: nil)
        self.end(log, .clientClosed)
        self.end(log, .code(.slowConsumer))
        log.closed(self.connection)
        let expected =
            "info ended a connection channel=default client.id=Kf3 code=slow_consumer connection=1-7 "
            + "peer.address=192.0.2.1 reason=\"too slow\"\n"
        #expect(self.lines.all.withLock(\.self) == [expected])
    }

    @Test func `a client without TLS is told of`() {
        self.end(self.log(.info), .tlsFailed)
        #expect(self.lines.all.withLock(\.self).first?.contains("code=tls_failed ") == true)
    }

    @Test func `of a flood only some are told, and how many were not`() {
        let log = self.log(.info)
        for _ in 0..<150 { self.end(log, .code(.rateLimited)) }
        #expect(self.lines.all.withLock(\.count) == 10)
        self.lines.time.withLock { $0 = 1_000_000_000 }
        self.end(log, .code(.rateLimited))
        let last = self.lines.all.withLock(\.last)
        #expect(last?.hasSuffix("unreported=140\n") == true, "\(last ?? "")")
    }

    @Test func `all of them are told where each connection can be followed`() {
        let log = self.log(.debug)
        for _ in 0..<150 { self.end(log, .connectionReset) }
        let lines = self.lines.all.withLock(\.self)
        #expect(lines.count == 150)
        #expect(lines[0] == "debug the client ended a connection connection=1-7 reason=connection_reset\n")
    }
}
