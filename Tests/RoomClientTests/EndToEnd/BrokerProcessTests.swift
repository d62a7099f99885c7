import RoomTestKit
import Testing

@Suite(.enabled(if: BrokerProcess.isAllowed))
struct BrokerProcessTests {
    @Test
    func `what was acknowledged is in the history after kill -9 and a restart`() async throws {
        try await BrokerProcess.with { broker in
            try await RawClient.with(port: broker.port) { client in
                for number in 1...3 {
                    let reply = try await client.ask(#""type":"publish","room":"ledger","message":"\#(number)""#)
                    #expect(reply.seq == number)
                }
            }
            try await broker.kill9()
            try await broker.restart()
            let history = try await StoredMessage.all(of: "ledger", port: broker.port)
            #expect(history.map(\.text) == ["1", "2", "3"])
            #expect(broker.alarms == [])
        }
    }

    @Test
    func `a broker comes back on the same port`() async throws {
        try await BrokerProcess.with { broker in
            let port = broker.port
            try await RawClient.with(port: port) { _ in try await broker.kill9() }
            try await broker.restart(samePort: true)
            #expect(broker.port == port)
            try await RawClient.with(port: port) { _ in }
        }
    }

    @Test
    func `a broker that is told to stop ends with exit code 0`() async throws {
        try await BrokerProcess.with { broker in
            let code = try await broker.stop()
            #expect(code == 0)
        }
    }

    @Test
    func `a broker that cannot start says why`() async throws {
        await #expect(throws: BrokerFailure.self) {
            try await BrokerProcess.with(flags: ["--max-line", "huge"]) { _ in }
        }
    }
}
