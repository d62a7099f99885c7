import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Which flows have to wait, and what they use; the time is given in.
struct BusyFlowsTests {
    private final class Worker: Flow {
        var share = WorkShare()
        let address: IPAddress?

        init(_ address: String) {
            self.address = IPAddress(address)
        }

        var group: WorkGroup { WorkGroup(from: self.address) ?? .flow(ObjectIdentifier(self)) }
        var description: FlowDescription? { FlowDescription(address: self.address) }
        func takeTurn() {}
    }

    private final class Clock {
        var now = NIODeadline.uptimeNanoseconds(5_000_000_000)
    }

    private let clock = Clock()
    private let queue: FairQueue
    private let start: NIODeadline

    init() {
        self.start = self.clock.now
        self.queue = FairQueue(wake: {}, isLoopIdle: { false }, now: { [clock] in clock.now })
    }

    /// The flow does so much, has more to do, and waits so long for its turn.
    private func work(_ flow: Worker, _ units: Int, waiting time: TimeAmount = .zero) {
        let spent = flow.share.spent
        flow.share.spend(units)
        self.queue.worked(flow, since: spent)
        self.queue.wait(flow)
        self.clock.now = self.clock.now + time
        // it has its turn: it does not wait any more, but is in debt
        for _ in 0..<10_000 where flow.share.isWaiting { self.queue.serve() }
    }

    /// The loop is at work for 80 percent of the time.
    private func sample(_ second: Int64) -> [BusyConnections.Connection] {
        self.queue.sample(now: self.start + .seconds(second), processorTime: .milliseconds(800 * second))
    }

    private static func shares(_ busy: BusyConnections) -> [String] {
        busy.busiest.map { "\($0.flow.address.map { "\($0)" } ?? "") \($0.percent)" }
    }

    @Test func `a flow that waits is shown with its share of the time, the largest first`() {
        let (small, large) = (Worker("192.0.2.1"), Worker("192.0.2.2"))
        for flow in [small, large] { self.work(flow, 300) }
        #expect(self.sample(0) == [])
        #expect(self.queue.busy.latest == BusyConnections(), "they were entered after their work")
        for _ in 0..<10 {
            self.work(small, 2_000)
            self.work(large, 6_000)
        }
        #expect(self.sample(2) == [])
        #expect(Self.shares(self.queue.busy.latest) == ["192.0.2.2 60", "192.0.2.1 20"])
    }

    @Test func `the flows of one address are added up`() {
        let flows = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"].map { Worker($0) }
        for flow in flows { self.work(flow, 300) }
        _ = self.sample(0)
        for _ in 0..<10 {
            for (flow, units) in zip(flows, [1_000, 1_000, 1_000, 2_500, 2_500]) { self.work(flow, units) }
        }
        _ = self.sample(2)
        let addresses = self.queue.busy.latest.addresses
        #expect(
            addresses.map { "\($0.address) \($0.connections) \($0.percent)" }.sorted() == [
                "192.0.2.1 2 20", "192.0.2.2 1 10", "2001:db8:: 2 50",
            ]
        )
        #expect(addresses.map(\.percent) == [50, 20, 10])
    }

    @Test func `rooms are named by what they cost, whoever waits`() {
        var rooms = BusyRooms()
        let owned = (0..<20).map { number in
            let (key, channel) = (RoomKey.make("room-\(number)"), RoomChannel(settings: .make()))
            let settings = channel.roomSettings(of: key.room, .init())
            let room = Room(key: key, settings: settings, epoch: Epoch(rawValue: 1), limits: .init())
            return OwnedRoom(key, of: channel, orderedBy: LoopRoom(room, recorder: nil), shards: 1)
        }
        _ = self.queue.sample(now: self.start, processorTime: .zero, rooms: rooms.takeSample(naming: 10))
        for _ in 0..<10 {
            for (number, room) in owned.enumerated() { rooms.spent(number == 7 ? 81 : 1, on: room) }
        }
        let later = self.start + .seconds(1)
        _ = self.queue.sample(now: later, processorTime: .milliseconds(500), rooms: rooms.takeSample(naming: 10))
        #expect(self.queue.busy.latest.rooms.first == .init(room: .make("room-7"), percent: 41))
        #expect(self.queue.busy.latest.rooms.count == 10)
        // the next second begins at nothing
        rooms.spent(10, on: owned[3])
        _ = self.queue.sample(
            now: later + .seconds(1),
            processorTime: .milliseconds(600),
            rooms: rooms.takeSample(naming: 10)
        )
        #expect(self.queue.busy.latest.rooms == [.init(room: .make("room-3"), percent: 10)])
    }

    @Test func `what loops have found is added up`() {
        var all = BusyConnections(rooms: [.init(room: .make("a"), percent: 3), .init(room: .make("b"), percent: 2)])
        all.add(
            BusyConnections(rooms: [.init(room: .make("b"), percent: 9), .init(room: .make("c"), percent: 1)]),
            naming: 2
        )
        #expect(all.rooms == [.init(room: .make("b"), percent: 11), .init(room: .make("a"), percent: 3)])
    }

    @Test func `a flow that does not have to wait is forgotten, and entered again when it has to`() {
        let flow = Worker("192.0.2.1")
        self.work(flow, 300)
        _ = self.sample(0)
        self.work(flow, 100_000)
        _ = self.sample(1)
        #expect(Self.shares(self.queue.busy.latest) == ["192.0.2.1 80"])
        #expect(self.sample(2) == [] && self.queue.busy.latest == BusyConnections())
        self.work(flow, 5_000)
        _ = self.sample(3)
        #expect(self.queue.busy.latest == BusyConnections(), "what it did before it had to wait is not known")
    }

    @Test func `a flow that waits all the time counts, though it has no turn`() {
        let flow = Worker("192.0.2.1")
        flow.share.spend(300)
        self.queue.wait(flow)
        for second in 0..<3 as Range<Int64> {
            _ = self.sample(second)
            #expect(self.queue.busy.latest == BusyConnections(count: second == 0 ? 0 : 1))
        }
    }

    @Test(arguments: [(0, 0), (99, 0), (100, 1), (900, 1)] as [(Int64, Int)])
    func `a flow that runs out of credit for a moment is not held back`(milliseconds: Int64, count: Int) {
        let flow = Worker("192.0.2.1")
        for _ in 0..<5 { self.work(flow, 2_000, waiting: .milliseconds(milliseconds)) }
        _ = self.sample(1)
        #expect(self.queue.busy.latest == BusyConnections(count: count))
        _ = self.sample(2)
        #expect(self.queue.busy.latest == BusyConnections(), "it does not wait any more")
    }

    @Test func `a debt is one wait, over however many turns`() {
        let flow = Worker("192.0.2.1")
        flow.share.spend(200 * 40)
        self.queue.wait(flow)
        for _ in 0..<20 {
            self.clock.now = self.clock.now + .milliseconds(6)
            self.queue.serve()
        }
        #expect(flow.share.isWaiting)
        _ = self.queue.sample(now: self.clock.now, processorTime: .zero)
        #expect(self.queue.busy.latest.count == 1)
    }

    @Test func `a flow with credit never counts`() {
        let flow = Worker("192.0.2.1")
        self.queue.wait(flow)
        _ = self.sample(0)
        #expect(self.queue.busy.latest == BusyConnections())
    }

    @Test func `work of the broker's own never counts`() {
        let work = LongWork(in: self.queue) { 300 }
        work.takeTurn()
        #expect(!self.queue.isEmpty)
        _ = self.sample(0)
        #expect(self.queue.busy.latest == BusyConnections())
    }

    @Test func `of very many flows all are counted, and the largest is named`() {
        let flows = (0..<1_500).map { Worker("192.0.2.\($0 % 250)") }
        for time in [0, 1] as [Int64] {
            for flow in flows { self.work(flow, flow === flows[7] ? 30_000 : 300, waiting: .milliseconds(100)) }
            _ = self.sample(time)
        }
        #expect(self.queue.busy.latest.count == 1_500)
        #expect(Self.shares(self.queue.busy.latest).first?.hasPrefix("192.0.2.7 ") ?? false)
    }

    @Test func `more than half of a loop for ten seconds on end is reported once`() {
        let (flow, other) = (Worker("192.0.2.1"), Worker("192.0.2.2"))
        for worker in [flow, other] { self.work(worker, 300) }
        _ = self.sample(0)
        var reported: [Int64] = []
        for second in 1...60 as ClosedRange<Int64> {
            // in the eighth second it does less
            self.work(flow, second == 8 ? 4_000 : 6_000)
            self.work(other, second == 8 ? 4_000 : 2_000)
            let dominant = self.sample(second)
            #expect(dominant.allSatisfy { $0.percent == 60 && $0.flow.address == flow.address })
            reported += dominant.map { _ in second }
        }
        #expect(reported == [18])
    }

    @Test func `one report a minute tells how many it leaves out`() {
        let told = NIOLockedValueBox<[BusyReports.Report]>([])
        let reports = BusyReports { report in told.withLockedValue { $0.append(report) } }
        var all: [BusyReports.Report] { told.withLockedValue(\.self) }
        func connection(_ percent: Int) -> BusyConnections.Connection {
            .init(flow: FlowDescription(), percent: percent)
        }
        reports.add([], now: self.start)
        reports.add([connection(60), connection(61)], now: self.start)
        reports.add([connection(62)], now: self.start + .seconds(59))
        #expect(all == [.init(connection: connection(60), unreported: 0)])
        reports.add([connection(63)], now: self.start + .seconds(60))
        reports.add([connection(64)], now: self.start + .seconds(121))
        #expect(all.map(\.connection.percent) == [60, 63, 64])
        #expect(all.map(\.unreported) == [0, 2, 0])
    }
}
