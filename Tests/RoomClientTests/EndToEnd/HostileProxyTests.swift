import NIOCore
import Testing

@testable import RoomTestKit

@Suite(.enabled(if: BrokerProcess.isAllowed))
struct HostileProxyTests {
    private static func cut(toClientAfter offset: Int, _ fault: LanePlan.Fault) -> ProxyPlan {
        var plan = ProxyPlan.faithful
        plan.toClient = LanePlan(steps: [LanePlan.Step(offset: offset, fault: fault)])
        return plan
    }

    /// A broker, and a proxy before it.
    private static func withNetwork(
        plan: @escaping @Sendable (Int) -> ProxyPlan,
        _ body: (BrokerProcess, HostileProxy) async throws -> Void
    ) async throws {
        try await BrokerProcess.with { broker in
            try await HostileProxy.with(plan: plan) { proxy in
                try await proxy.forward(to: broker.port)
                try await body(broker, proxy)
            }
        }
    }

    @Test
    func `what is delayed and dribbled arrives as it was`() async throws {
        let steps = [
            LanePlan.Step(offset: 3, fault: .dribble(60)),
            LanePlan.Step(offset: 100, fault: .delay(.milliseconds(5))),
            LanePlan.Step(offset: 150, fault: .dribble(20)),
        ]
        let plan = { @Sendable (_: Int) in
            var plan = ProxyPlan.faithful
            (plan.toBroker, plan.toClient) = (LanePlan(steps: steps), LanePlan(steps: steps))
            return plan
        }
        try await Self.withNetwork(plan: plan) { broker, proxy in
            try await RawClient.with(port: proxy.port) { client in
                for number in 1...20 {
                    let reply = try await client.ask(#""type":"publish","room":"lobby","message":"number \#(number)""#)
                    #expect(reply.seq == number)
                }
            }
            let history = try await StoredMessage.all(of: "lobby", port: broker.port)
            #expect(history.map(\.text) == (1...20).map { "number \($0)" })
        }
    }

    @Test(arguments: [LanePlan.Fault.cut(.closed), .cut(.reset), .halfClose])
    func `a connection that is cut ends, and the next one is its own`(fault: LanePlan.Fault) async throws {
        let plan = { @Sendable (number: Int) in number == 0 ? Self.cut(toClientAfter: 40, fault) : .faithful }
        try await Self.withNetwork(plan: plan) { _, proxy in
            await #expect(throws: RawClient.Ended.self) {
                try await RawClient.with(port: proxy.port) { _ in }
            }
            try await RawClient.with(port: proxy.port) { client in _ = try await client.ask(#""type":"ping""#) }
            let accepted = try await proxy.accepted()
            #expect(accepted == 2)
        }
    }

    @Test(arguments: [ProxyPlan.Ending.closed, .reset])
    func `a refused connection ends without a word`(ending: ProxyPlan.Ending) async throws {
        let plan = { @Sendable (_: Int) in
            var plan = ProxyPlan.faithful
            plan.refusal = ending
            return plan
        }
        try await Self.withNetwork(plan: plan) { _, proxy in
            await #expect(throws: RawClient.Ended.self) {
                try await RawClient.with(port: proxy.port) { _ in }
            }
            try await proxy.calm()
            try await RawClient.with(port: proxy.port) { _ in }
        }
    }

    @Test
    func `what a stall holds back comes with the calm`() async throws {
        // The reply to the handshake has come through whole.
        let plan = { @Sendable (_: Int) in Self.cut(toClientAfter: 400, .stall) }
        try await Self.withNetwork(plan: plan) { broker, proxy in
            try await RawClient.with(port: proxy.port) { client in
                for number in 1...20 {
                    client.say(#"{"type":"publish","room":"lobby","message":"number \#(number)","callback":-1}"#)
                }
                // The broker has taken them all, though nobody hears of it.
                while try await StoredMessage.all(of: "lobby", port: broker.port).count < 20 {}
                async let pong = client.ask(#""type":"ping""#)
                try await proxy.calm()
                _ = try await pong
            }
        }
    }

    @Test(arguments: [true, false])
    func `a duplicated attempt says the same to the broker twice`(isFirst: Bool) async throws {
        let plan = { @Sendable (_: Int) in
            var plan = ProxyPlan.faithful
            plan.duplicate = ProxyPlan.Duplicate(bytes: 10_000, isFirst: isFirst)
            return plan
        }
        try await Self.withNetwork(plan: plan) { broker, proxy in
            let opening = #"{"type":"publish","room":"lobby","message":"hello"}"#
            try await RawClient.with(port: proxy.port, opening: opening) { _ in }
            while try await StoredMessage.all(of: "lobby", port: broker.port).count < 2 {}
        }
    }

    @Test
    func `while the broker is down clients are sent away`() async throws {
        let plan = { @Sendable (_: Int) in ProxyPlan.faithful }
        try await Self.withNetwork(plan: plan) { broker, proxy in
            try await broker.kill9()
            for port in [broker.port, nil] {
                try await proxy.forward(to: port)
                for _ in 1...2 {
                    await #expect(throws: RawClient.Ended.self) {
                        try await RawClient.with(port: proxy.port) { _ in }
                    }
                }
            }
            try await broker.restart()
            try await proxy.forward(to: broker.port)
            try await RawClient.with(port: proxy.port) { _ in }
        }
    }
}
