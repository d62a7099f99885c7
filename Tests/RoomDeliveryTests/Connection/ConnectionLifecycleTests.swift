import Testing

@testable import RoomDelivery

/// Every state of a connection's end with every event.
struct ConnectionLifecycleTests {
    typealias State = ConnectionLifecycle.State
    typealias Progress = ConnectionLifecycle.Progress

    enum Stage: CaseIterable {
        case open, draining, drainingEnded, finishing, leaving, closing, closingEnded, closed
    }

    private static func state(_ stage: Stage) -> State {
        switch stage {
        case .open: .open
        case .draining: .draining(retryAfterMilliseconds: 7, hasInputEnded: false)
        case .drainingEnded: .draining(retryAfterMilliseconds: 7, hasInputEnded: true)
        case .finishing: .finishing
        case .leaving: .leaving
        case .closing: .closing(hasInputEnded: false)
        case .closingEnded: .closing(hasInputEnded: true)
        case .closed: .closed
        }
    }

    private static func lifecycle(_ stage: Stage) -> ConnectionLifecycle {
        var lifecycle = ConnectionLifecycle()
        switch stage {
        case .open: break
        case .draining: _ = lifecycle.drain(retryAfterMilliseconds: 7)
        case .drainingEnded:
            _ = lifecycle.drain(retryAfterMilliseconds: 7)
            _ = lifecycle.inputEnded()
        case .finishing: _ = lifecycle.inputEnded()
        case .leaving:
            _ = lifecycle.inputEnded()
            _ = lifecycle.next(Self.done)
        case .closing: _ = lifecycle.beginClosing()
        case .closingEnded:
            _ = lifecycle.inputEnded()
            _ = lifecycle.beginClosing()
        case .closed: lifecycle.closed()
        }
        return lifecycle
    }

    private static let done = Progress(isSettled: true, isCaughtUp: true, hasSubscribers: false)

    @Test(arguments: Stage.allCases)
    func `each state can be reached`(stage: Stage) {
        #expect(Self.lifecycle(stage).state == Self.state(stage))
    }

    /// The state after the event, and whether the event began something.
    struct Row {
        var inputEnded: (Stage, Bool)
        var drain: (Stage, Bool)
        var beginClosing: (Stage, Bool)
    }

    private static let table: [Stage: Row] = [
        .open: Row(inputEnded: (.finishing, true), drain: (.draining, true), beginClosing: (.closing, true)),
        .draining: Row(inputEnded: (.drainingEnded, false), drain: (.draining, false), beginClosing: (.closing, true)),
        .drainingEnded: Row(
            inputEnded: (.drainingEnded, false),
            drain: (.drainingEnded, false),
            beginClosing: (.closingEnded, true)
        ),
        .finishing: Row(
            inputEnded: (.finishing, false),
            drain: (.finishing, false),
            beginClosing: (.closingEnded, true)
        ),
        .leaving: Row(inputEnded: (.leaving, false), drain: (.leaving, false), beginClosing: (.closingEnded, true)),
        .closing: Row(inputEnded: (.closingEnded, false), drain: (.closing, false), beginClosing: (.closing, false)),
        .closingEnded: Row(
            inputEnded: (.closingEnded, false),
            drain: (.closingEnded, false),
            beginClosing: (.closingEnded, false)
        ),
        .closed: Row(inputEnded: (.closed, false), drain: (.closed, false), beginClosing: (.closed, false)),
    ]

    @Test(arguments: Stage.allCases)
    func `each event leads where it should`(stage: Stage) throws {
        let row = try #require(Self.table[stage])
        let events: [((inout ConnectionLifecycle) -> Bool, (Stage, Bool))] = [
            ({ $0.inputEnded() }, row.inputEnded), ({ $0.drain(retryAfterMilliseconds: 7) }, row.drain),
            ({ $0.beginClosing() }, row.beginClosing),
        ]
        for (event, expected) in events {
            var lifecycle = Self.lifecycle(stage)
            #expect(event(&lifecycle) == expected.1)
            #expect(lifecycle.state == Self.state(expected.0))
        }
    }

    @Test(arguments: Stage.allCases)
    func `a session without anything to wait for takes the next step`(stage: Stage) {
        var lifecycle = Self.lifecycle(stage)
        let step: ConnectionLifecycle.Step =
            switch stage {
            case .open, .closed: .wait
            case .draining, .drainingEnded: .sayGoodbye(retryAfterMilliseconds: 7)
            case .finishing: .leaveRooms
            case .leaving: .close
            case .closing: .endOutput(andInput: false)
            case .closingEnded: .endOutput(andInput: true)
            }
        #expect(lifecycle.next(Self.done) == step)
        #expect(lifecycle.state == Self.state(stage == .finishing ? .leaving : stage))
    }

    @Test(arguments: Stage.allCases)
    func `what is not done yet is waited for`(stage: Stage) {
        var unsettled = Self.lifecycle(stage)
        let isEndingOutput = stage == .closing || stage == .closingEnded
        let progress = Progress(isSettled: false, isCaughtUp: false, hasSubscribers: true)
        #expect((unsettled.next(progress) == .wait) == !isEndingOutput)
        #expect(unsettled.state == Self.state(stage))
        var awaiting = Self.lifecycle(stage)
        awaiting.awaited = 1
        #expect((awaiting.next(Self.done) == .wait) == !(isEndingOutput || stage == .leaving))
        #expect(awaiting.state == Self.state(stage))
    }

    @Test func `a subscriber that still gets what it missed holds up the end, but not a goodbye`() {
        let progress = Progress(isSettled: true, isCaughtUp: false, hasSubscribers: true)
        var finishing = Self.lifecycle(.finishing)
        #expect(finishing.next(progress) == .wait)
        var draining = Self.lifecycle(.draining)
        #expect(draining.next(progress) == .sayGoodbye(retryAfterMilliseconds: 7))
    }

    @Test(arguments: Stage.allCases)
    func `only a connection that the peer or the broker ends is aborted at its deadline`(stage: Stage) {
        let lifecycle = Self.lifecycle(stage)
        let isStuck: Bool =
            switch stage {
            case .open, .draining, .drainingEnded, .closed: false
            case .finishing, .leaving, .closing, .closingEnded: true
            }
        #expect(lifecycle.mustAbort == isStuck)
        #expect(lifecycle.isEnding == (stage != .open))
        #expect(lifecycle.isLeaving == (stage == .leaving))
    }
}
