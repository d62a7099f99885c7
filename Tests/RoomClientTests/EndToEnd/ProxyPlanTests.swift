import NIOCore
import RoomTestKit
import Testing

struct ProxyPlanTests {
    @Test
    func `a plan follows from the seed and the connection's number`() {
        for connection in 0..<100 {
            #expect(ProxyPlan(seed: 7, connection: connection) == ProxyPlan(seed: 7, connection: connection))
        }
        let plans = (0..<100).map { ProxyPlan(seed: 7, connection: $0) }
        #expect(plans != (0..<100).map { ProxyPlan(seed: 8, connection: $0) })
        #expect(Set(plans.map { "\($0)" }).count > 80)
    }

    @Test
    func `a seed has every fault among its first connections`() {
        for seed in UInt64(1)...20 {
            let plans = (0..<200).map { ProxyPlan(seed: seed, connection: $0) }
            #expect(Set(plans.compactMap(\.refusal)) == [.closed, .reset])
            #expect(Set(plans.compactMap { $0.duplicate?.isFirst }) == [true, false])
            for lane in [\ProxyPlan.toBroker, \.toClient] {
                let faults = Set(plans.flatMap { $0[keyPath: lane].steps.map { Self.kind($0.fault) } })
                #expect(faults == ["delay", "dribble", "stall", "halfClose", "closed", "reset"], "seed \(seed)")
            }
        }
    }

    @Test
    func `cuts come early and late`() {
        let cuts = (0..<1_000).flatMap { connection in
            ProxyPlan(seed: 1, connection: connection).toClient.steps.compactMap { step in
                if case .cut = step.fault { step.offset } else { nil }
            }
        }
        #expect(cuts.contains { $0 < 100 })
        #expect(cuts.contains { $0 > 100_000 })
    }

    private static func kind(_ fault: LanePlan.Fault) -> String {
        switch fault {
        case .delay: "delay"
        case .dribble: "dribble"
        case .stall: "stall"
        case .halfClose: "halfClose"
        case .cut(.closed): "closed"
        case .cut(.reset): "reset"
        }
    }
}
