import NIOCore
import Testing

@testable import RoomTestKit

struct LaneScriptTests {
    @Test(arguments: 1...12)
    func `a cut comes after exactly so many bytes, however they arrive`(piece: Int) {
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 10, fault: .cut(.reset))]))
        #expect(Self.run(&script, bytes: 100, piece: piece) == (10, .cut(.reset)))
    }

    @Test
    func `nothing planned, nothing done`() {
        var script = LaneScript(LanePlan())
        #expect(script.next(available: 0) == .read)
        #expect(script.next(available: 1_000) == .forward(1_000))
        #expect(script.next(available: 0) == .read)
    }

    @Test
    func `a delay holds the bytes behind it`() {
        let delay = TimeAmount.milliseconds(3)
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 4, fault: .delay(delay))]))
        #expect(script.next(available: 9) == .forward(4))
        #expect(script.next(available: 5) == .pause(delay))
        #expect(script.next(available: 5) == .forward(5))
    }

    @Test
    func `dribbled bytes go one by one`() {
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 2, fault: .dribble(2))]))
        #expect(script.next(available: 9) == .forward(2))
        #expect(script.next(available: 7) == .forward(1))
        #expect(script.next(available: 0) == .read)
        #expect(script.next(available: 6) == .forward(1))
        #expect(script.next(available: 5) == .forward(5))
    }

    @Test
    func `after a half-close what comes is lost`() {
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 1, fault: .halfClose)]))
        #expect(script.next(available: 3) == .forward(1))
        #expect(script.next(available: 2) == .halfClose)
        #expect(script.next(available: 2) == .discard(2))
        #expect(script.next(available: 0) == .read)
        script.calmDown()
        #expect(script.next(available: 5) == .discard(5))
    }

    @Test
    func `a stall ends with the calm, and nothing of it is lost`() {
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 1, fault: .stall)]))
        #expect(script.next(available: 3) == .forward(1))
        #expect(script.next(available: 2) == .stall)
        #expect(script.isStalled)
        #expect(script.next(available: 9) == .stall)
        script.calmDown()
        #expect(!script.isStalled)
        #expect(script.next(available: 9) == .forward(9))
    }

    @Test
    func `no planned fault is left after the calm`() {
        var script = LaneScript(LanePlan(steps: [LanePlan.Step(offset: 5, fault: .cut(.closed))]))
        #expect(script.next(available: 3) == .forward(3))
        script.calmDown()
        #expect(Self.run(&script, bytes: 50, piece: 7) == (50, .read))
    }

    /// Gives the script so many bytes in pieces of a size.
    ///
    /// - Returns: how many it forwarded, and the first move that was something else.
    private static func run(_ script: inout LaneScript, bytes: Int, piece: Int) -> (Int, LaneScript.Move) {
        var (given, available, forwarded) = (0, 0, 0)
        while true {
            switch script.next(available: available) {
            case .forward(let count):
                forwarded += count
                available -= count
            case .read where given < bytes:
                available = min(piece, bytes - given)
                given += available
            case let move: return (forwarded, move)
            }
        }
    }
}
