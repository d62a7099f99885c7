import Testing

@testable import RoomTransport

/// Every state of a connection's input with every event.
struct InputFlowTests {
    enum Stage: CaseIterable {
        case flowing
        /// Too much waits behind a line.
        case held
        case ended
        case heldEnded
    }

    private static func flow(_ stage: Stage) -> InputFlow {
        var flow = InputFlow()
        if stage == .held || stage == .heldEnded {
            _ = flow.received(InputFlow.waitingBytes + 1, behindWait: true)
        }
        if stage == .ended || stage == .heldEnded { flow.inputEnded() }
        return flow
    }

    private typealias Action = InputFlow.Action

    enum Event: CaseIterable {
        case little, much, muchUnheld, through, waiting, outOfTurn, backedUp, discard

        fileprivate func happen(to flow: inout InputFlow) -> InputFlow.Action {
            switch self {
            case .little: flow.received(1, behindWait: true)
            case .much: flow.received(InputFlow.waitingBytes + 1, behindWait: true)
            case .muchUnheld: flow.received(InputFlow.waitingBytes + 1, behindWait: false)
            case .through: flow.processed(.through, isBackedUp: false)
            case .waiting: flow.processed(.waiting, isBackedUp: false)
            case .outOfTurn: flow.processed(.outOfTurn, isBackedUp: false)
            case .backedUp: flow.processed(.through, isBackedUp: true)
            case .discard: flow.discard()
            }
        }
    }

    /// By stage, an action for each event.
    private static let table: [Stage: [Action]] = [
        .flowing: [
            Action(), Action(setsReading: false), Action(), Action(), Action(), Action(setsReading: false),
            Action(setsReading: false, awaitsReplies: true), Action(),
        ],
        .held: [
            Action(), Action(), Action(), Action(setsReading: true), Action(), Action(),
            Action(awaitsReplies: true), Action(setsReading: true),
        ],
        .ended: [
            Action(), Action(setsReading: false), Action(), Action(endsInput: true), Action(),
            Action(setsReading: false), Action(setsReading: false, awaitsReplies: true), Action(),
        ],
        .heldEnded: [
            Action(), Action(), Action(), Action(setsReading: true, endsInput: true), Action(), Action(),
            Action(awaitsReplies: true), Action(setsReading: true),
        ],
    ]

    @Test(arguments: Stage.allCases)
    func `each event has its action in each state`(stage: Stage) {
        let actions = Event.allCases.map { event in
            var flow = Self.flow(stage)
            return event.happen(to: &flow)
        }
        #expect(actions == Self.table[stage])
    }

    @Test func `bytes behind a line that waits add up until it is handled`() {
        var flow = InputFlow()
        #expect(flow.received(InputFlow.waitingBytes, behindWait: true) == Action())
        _ = flow.processed(.through, isBackedUp: false)
        #expect(flow.received(1, behindWait: true) == Action(), "it began anew")
        #expect(flow.received(InputFlow.waitingBytes, behindWait: true) == Action(setsReading: false))
    }
}
