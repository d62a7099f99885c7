import NIOCore
import Testing

@testable import RoomClient

/// Every state with every event. Jitter is 1, so a pause is the longest it can be.
struct ConnectionMachineTests {
    enum Event: CaseIterable, Sendable {
        case wanted
        case opened
        case welcomed
        case welcomedToAuthenticate
        case authenticated
        case lost
        case toldToWait
        case toldToStay
        case pauseEnded
        case unwanted
        case hurried
        case closed
    }

    enum Start: CaseIterable, Sendable {
        case idle
        case opening
        case greeting
        case authenticating
        case ready
        case waiting
        case waitingAsAsked
        case closed
    }

    private static let now = NIODeadline.uptimeNanoseconds(60_000_000_000)
    private static let waiting = ConnectionMachine.State.waiting(notBefore: nil)
    private static let waitingAsAsked = ConnectionMachine.State.waiting(notBefore: Self.now + .seconds(7))
    private static let ready = ConnectionMachine.State.ready(since: Self.now)
    /// The first pause: 200 ms; after one failed attempt 400 ms.
    private static let rows: [Start: [Event: (ConnectionMachine.Order, ConnectionMachine.State)]] = [
        .idle: [
            .wanted: (.open, .opening), .opened: (.none, .idle), .welcomed: (.none, .idle),
            .welcomedToAuthenticate: (.none, .idle), .authenticated: (.none, .idle), .lost: (.none, .idle),
            .toldToWait: (.none, .idle), .toldToStay: (.none, .idle), .pauseEnded: (.none, .idle),
            .unwanted: (.none, .idle), .hurried: (.open, .opening), .closed: (.end, .closed),
        ],
        .opening: [
            .wanted: (.none, .opening), .opened: (.greet, .greeting), .welcomed: (.none, .opening),
            .welcomedToAuthenticate: (.none, .opening), .authenticated: (.none, .opening),
            .lost: (.wait(.milliseconds(200)), waiting), .toldToWait: (.wait(.seconds(7)), waitingAsAsked),
            .toldToStay: (.end, .closed), .pauseEnded: (.none, .opening), .unwanted: (.none, .opening),
            .hurried: (.none, .opening), .closed: (.end, .closed),
        ],
        .greeting: [
            .wanted: (.none, .greeting), .opened: (.none, .greeting), .welcomed: (.resume, ready),
            .welcomedToAuthenticate: (.authenticate, .authenticating), .authenticated: (.none, .greeting),
            .lost: (.wait(.milliseconds(200)), waiting), .toldToWait: (.wait(.seconds(7)), waitingAsAsked),
            .toldToStay: (.end, .closed), .pauseEnded: (.none, .greeting), .unwanted: (.none, .greeting),
            .hurried: (.none, .greeting), .closed: (.end, .closed),
        ],
        .authenticating: [
            .wanted: (.none, .authenticating), .opened: (.none, .authenticating),
            .welcomed: (.none, .authenticating), .welcomedToAuthenticate: (.none, .authenticating),
            .authenticated: (.resume, ready), .lost: (.wait(.milliseconds(200)), waiting),
            .toldToWait: (.wait(.seconds(7)), waitingAsAsked), .toldToStay: (.end, .closed),
            .pauseEnded: (.none, .authenticating), .unwanted: (.none, .authenticating),
            .hurried: (.none, .authenticating), .closed: (.end, .closed),
        ],
        .ready: [
            .wanted: (.none, ready), .opened: (.none, ready), .welcomed: (.none, ready),
            .welcomedToAuthenticate: (.none, ready), .authenticated: (.none, ready),
            .lost: (.wait(.milliseconds(200)), waiting), .toldToWait: (.wait(.seconds(7)), waitingAsAsked),
            .toldToStay: (.end, .closed), .pauseEnded: (.none, ready), .unwanted: (.none, ready),
            .hurried: (.probe, ready), .closed: (.end, .closed),
        ],
        .waiting: [
            .wanted: (.none, waiting), .opened: (.none, waiting), .welcomed: (.none, waiting),
            .welcomedToAuthenticate: (.none, waiting), .authenticated: (.none, waiting), .lost: (.none, waiting),
            .toldToWait: (.none, waiting), .toldToStay: (.none, waiting), .pauseEnded: (.open, .opening),
            .unwanted: (.none, .idle), .hurried: (.open, .opening), .closed: (.end, .closed),
        ],
        .waitingAsAsked: [
            .wanted: (.none, waitingAsAsked), .opened: (.none, waitingAsAsked), .welcomed: (.none, waitingAsAsked),
            .welcomedToAuthenticate: (.none, waitingAsAsked), .authenticated: (.none, waitingAsAsked),
            .lost: (.none, waitingAsAsked),
            .toldToWait: (.none, waitingAsAsked), .toldToStay: (.none, waitingAsAsked), .pauseEnded: (.open, .opening),
            .unwanted: (.none, .idle), .hurried: (.shortenPause(.seconds(7)), waitingAsAsked), .closed: (.end, .closed),
        ],
        .closed: [
            .wanted: (.none, .closed), .opened: (.none, .closed), .welcomed: (.none, .closed),
            .welcomedToAuthenticate: (.none, .closed), .authenticated: (.none, .closed), .lost: (.none, .closed),
            .toldToWait: (.none, .closed), .toldToStay: (.none, .closed), .pauseEnded: (.none, .closed),
            .unwanted: (.none, .closed), .hurried: (.none, .closed), .closed: (.none, .closed),
        ],
    ]

    @Test(arguments: Start.allCases)
    func `every event has its answer`(in start: Start) throws {
        let row = try #require(Self.rows[start])
        for event in Event.allCases {
            let (order, state) = try #require(row[event])
            var machine = Self.machine(in: start)
            let actual = Self.send(event, to: &machine)
            #expect(actual == order, "\(event) in \(start)")
            #expect(machine.state == state, "after \(event) in \(start)")
        }
    }

    @Test func `pauses double up to the cap while nothing works`() {
        var machine = Self.machine(in: .opening)
        var pauses: [Duration] = []
        for _ in 0..<9 {
            if case .wait(let pause) = Self.send(.lost, to: &machine) { pauses.append(pause) }
            _ = machine.pauseEnded()
        }
        let expected = [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000]
        #expect(pauses == expected.map { .milliseconds($0) })
    }

    @Test func `a connection that held makes the next pause short`() {
        var machine = Self.failedTwice()
        #expect(machine.welcomed(authenticates: false, now: Self.now) == .resume)
        let order = machine.ended(.lost, jitter: 1, now: Self.now + .seconds(5))
        #expect(order == .wait(.milliseconds(200)))
    }

    @Test func `a connection that ended at once counts as a failure`() {
        var machine = Self.failedTwice()
        #expect(machine.welcomed(authenticates: false, now: Self.now) == .resume)
        let order = machine.ended(.lost, jitter: 1, now: Self.now + .seconds(4))
        #expect(order == .wait(.milliseconds(800)))
    }

    @Test func `the broker's wish is a lower bound, not the pause`() {
        var machine = Self.failedTwice()
        let ending = ConnectionMachine.Ending.told(isFinal: false, retryAfter: .milliseconds(100))
        #expect(machine.ended(ending, jitter: 1, now: Self.now) == .wait(.milliseconds(800)))
    }

    @Test func `hurry makes the next pauses short again, and waits for as long as the broker asked`() {
        var machine = Self.failedTwice()
        #expect(machine.hurried(now: Self.now) == .none)
        let ending = ConnectionMachine.Ending.told(isFinal: false, retryAfter: .milliseconds(100))
        #expect(machine.ended(ending, jitter: 1, now: Self.now) == .wait(.milliseconds(200)))
        #expect(machine.hurried(now: Self.now + .milliseconds(60)) == .shortenPause(.milliseconds(40)))
        #expect(machine.hurried(now: Self.now + .milliseconds(100)) == .open)
    }

    @Test func `jitter spreads a pause over its whole length`() {
        let backoff = Backoff(base: .seconds(1), cap: .seconds(8))
        #expect(backoff.delay(attempt: 2, jitter: 0) == .zero)
        #expect(backoff.delay(attempt: 2, jitter: 0.5) == .seconds(2))
        #expect(backoff.delay(attempt: 2, jitter: 1) == .seconds(4))
        #expect(backoff.delay(attempt: 1_000_000, jitter: 1) == .seconds(8))
        #expect(backoff.delay(attempt: 0, jitter: 0, atLeast: .seconds(30)) == .seconds(30))
    }

    /// In `greeting`, after two failed attempts.
    private static func failedTwice() -> ConnectionMachine {
        var machine = Self.machine(in: .opening)
        for _ in 0..<2 {
            _ = Self.send(.lost, to: &machine)
            _ = machine.pauseEnded()
        }
        _ = machine.opened()
        return machine
    }

    private static func machine(in start: Start) -> ConnectionMachine {
        var machine = ConnectionMachine(backoff: Backoff())
        let way: [Event] =
            switch start {
            case .idle: []
            case .opening: [.wanted]
            case .greeting: [.wanted, .opened]
            case .authenticating: [.wanted, .opened, .welcomedToAuthenticate]
            case .ready: [.wanted, .opened, .welcomed]
            case .waiting: [.wanted, .lost]
            case .waitingAsAsked: [.wanted, .toldToWait]
            case .closed: [.closed]
            }
        for event in way { _ = Self.send(event, to: &machine) }
        return machine
    }

    private static func send(_ event: Event, to machine: inout ConnectionMachine) -> ConnectionMachine.Order {
        switch event {
        case .wanted: machine.wanted()
        case .opened: machine.opened()
        case .welcomed: machine.welcomed(authenticates: false, now: Self.now)
        case .welcomedToAuthenticate: machine.welcomed(authenticates: true, now: Self.now)
        case .authenticated: machine.authenticated(now: Self.now)
        case .lost: machine.ended(.lost, jitter: 1, now: Self.now)
        case .toldToWait: machine.ended(.told(isFinal: false, retryAfter: .seconds(7)), jitter: 1, now: Self.now)
        case .toldToStay: machine.ended(.told(isFinal: true, retryAfter: nil), jitter: 1, now: Self.now)
        case .pauseEnded: machine.pauseEnded()
        case .unwanted: machine.unwanted()
        case .hurried: machine.hurried(now: Self.now)
        case .closed: machine.closed()
        }
    }
}
