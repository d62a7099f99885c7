import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Turns by units of work; no time is involved.
struct FairQueueTests {
    /// A client that always has something left to do, in pieces of one cost.
    private final class Flood: Flow {
        var share = WorkShare()
        let queue: FairQueue
        let cost: Int
        /// What each piece causes elsewhere.
        let caused: Int
        let address: IPAddress?
        private(set) var done = 0
        var isOver = false

        init(_ queue: FairQueue, cost: Int = 1, caused: Int = 0, from address: IPAddress? = nil) {
            self.queue = queue
            self.cost = cost
            self.caused = caused
            self.address = address
        }

        var group: WorkGroup { WorkGroup(from: self.address) ?? .flow(ObjectIdentifier(self)) }
        var description: FlowDescription? { FlowDescription(address: self.address) }

        func takeTurn() {
            guard !self.isOver, self.queue.begin(self) else { return }
            let spent = self.share.spent
            while self.share.hasCredit {
                self.share.spend(self.cost)
                self.share.cause(self.caused)
                self.done += self.cost
            }
            self.queue.worked(self, since: spent)
            self.queue.wait(self)
        }
    }

    /// A client that sends one line at a time.
    private final class Talker: Flow {
        var share = WorkShare()
        private(set) var turns = 0
        let isInSession: Bool
        let address: IPAddress?
        var onTurn: () -> Void = {}

        init(isInSession: Bool = true, from address: IPAddress? = nil) {
            self.isInSession = isInSession
            self.address = address
        }

        var group: WorkGroup { WorkGroup(from: self.address) ?? .flow(ObjectIdentifier(self)) }
        var description: FlowDescription? { FlowDescription() }

        func takeTurn() {
            self.turns += 1
            self.onTurn()
        }
    }

    private static func queue(isIdle: Bool = false) -> FairQueue {
        FairQueue {
        } isLoopIdle: {
            isIdle
        }
    }

    @Test func `a client that sends little works at once, beside floods that wait`() {
        let queue = Self.queue()
        let talker = Talker()
        #expect(queue.begin(talker))
        let floods = (0..<100).map { _ in Flood(queue) }
        for flood in floods { flood.takeTurn() }
        for _ in 0..<1_000 {
            queue.serve()
            let spent = talker.share.spent
            #expect(queue.begin(talker))
            talker.share.spend(1)
            queue.worked(talker, since: spent)
        }
        #expect(talker.turns == 0, "it never waited")
    }

    @Test func `those who come or go leave place for who is in a session, and wait behind them`() {
        let queue = Self.queue()
        let comers = (0..<1_000).map { Talker(isInSession: false, from: IPAddress("10.0.\($0 / 250).\($0 % 250)")) }
        var begun = 0
        for comer in comers {
            let spent = comer.share.spent
            guard queue.begin(comer) else { continue }
            comer.share.spend(10)
            queue.worked(comer, since: spent)
            begun += 1
        }
        #expect(begun == 100)
        let talker = Talker()
        #expect(queue.begin(talker), "it does not wait behind them")
        // and where it has to
        queue.wait(talker)
        talker.onTurn = { #expect(comers.allSatisfy { $0.turns == 0 }) }
        queue.serve()
        #expect(talker.turns == 1)
        #expect(comers.contains { $0.turns == 1 })
    }

    @Test func `those who come or go have a part of each turn, and addresses share it`() {
        let queue = Self.queue()
        let talkers = (0..<2_000).map { _ in Talker() }
        let crowd = (0..<500).map { _ in Talker(isInSession: false, from: IPAddress("203.0.113.1")) }
        let another = Talker(isInSession: false, from: IPAddress("203.0.113.2"))
        for flow in talkers + crowd + [another] { queue.wait(flow) }
        queue.serve()
        #expect(talkers.count { $0.turns == 1 } == 375)
        #expect(crowd.count { $0.turns == 1 } == 124)
        #expect(another.turns == 1)
    }

    @Test func `clients that send little never wait, however much they have sent in all`() {
        var look = 0
        let queue = FairQueue {
        } isLoopIdle: {
            false
        } looks: {
            look
        }
        let talkers = (0..<100).map { _ in Talker() }
        var turned = 0
        for _ in 0..<100 {
            look += 1
            for talker in talkers {
                let spent = talker.share.spent
                if !queue.begin(talker) { turned += 1 }
                talker.share.spend(1)
                queue.worked(talker, since: spent)
            }
        }
        #expect(turned == 0)
        // without a look, the budget ends
        let others = (0..<1_000).map { _ in Talker() }
        let begun = others.count { other in
            guard queue.begin(other) else { return false }
            other.share.spend(100)
            queue.worked(other, since: 0)
            return true
        }
        #expect(begun <= 41)
    }

    @Test func `one look at the sockets lies behind no more than a budget of floods`() {
        let queue = Self.queue()
        let floods = (0..<50).map { _ in Flood(queue, cost: 7) }
        for flood in floods { flood.takeTurn() }
        for _ in 0..<100 {
            let before = floods.reduce(0) { $0 + $1.done }
            queue.serve()
            // the last of them may go over by its own share and one piece
            #expect(floods.reduce(0) { $0 + $1.done } - before <= 500 + WorkShare.quantum + 7)
        }
    }

    @Test func `floods that all begin at once do not work for longer than two budgets`() {
        let queue = Self.queue()
        let floods = (0..<1_000).map { _ in Flood(queue) }
        for flood in floods { flood.takeTurn() }
        #expect(floods.reduce(0) { $0 + $1.done } <= 2_000 + WorkShare.quantum)
    }

    @Test func `work is shared evenly, whatever a piece of it costs`() {
        let queue = Self.queue()
        let floods = [1, 3, 10, 50, 150].map { Flood(queue, cost: $0) }
        for flood in floods { flood.takeTurn() }
        for _ in 0..<300 { queue.serve() }
        let done = floods.map(\.done)
        let share = done.reduce(0, +) / floods.count
        #expect(done.allSatisfy { abs($0 - share) < share / 50 }, "\(done)")
    }

    @Test func `an address with many connections gets no more than one with few`() {
        let queue = Self.queue()
        let crowd = (0..<50).map { _ in Flood(queue, from: IPAddress("192.0.2.1")) }
        let single = Flood(queue, from: IPAddress("192.0.2.2"))
        for flood in crowd + [single] { flood.takeTurn() }
        for _ in 0..<1_000 { queue.serve() }
        let crowdDone = crowd.reduce(0) { $0 + $1.done }
        #expect(abs(crowdDone - single.done) < single.done / 10, "\(crowdDone) beside \(single.done)")
        #expect(crowd.allSatisfy { $0.done > 0 }, "each of them had its turn")
    }

    @Test func `a flow pays for what it causes elsewhere`() {
        let queue = Self.queue()
        let modest = Flood(queue)
        let costly = Flood(queue, cost: 10, caused: 999)
        for flood in [modest, costly] { flood.takeTurn() }
        for _ in 0..<1_000 { queue.serve() }
        #expect(costly.done / 10 * 1_009 < modest.done * 11 / 10, "\(costly.done) beside \(modest.done)")
        #expect(costly.done > 0)
    }

    @Test func `debts are worked off when nobody else has anything to do`() {
        let turns = [false, true].map { isIdle in
            let queue = Self.queue(isIdle: isIdle)
            let costly = Flood(queue, cost: 300, caused: 9_999)
            costly.takeTurn()
            var turns = 0
            while costly.done < 2 * costly.cost, turns < 1_000 {
                queue.serve()
                turns += 1
            }
            return turns
        }
        #expect(turns[1] * 10 < turns[0], "\(turns)")
    }

    @Test func `beside nobody else a flow that has caused much goes on at once`() {
        let queue = Self.queue(isIdle: true)
        let publisher = Talker()
        for _ in 0..<100 {
            let spent = publisher.share.spent
            #expect(queue.begin(publisher))
            publisher.share.cause(10_000)
            queue.worked(publisher, since: spent)
        }
    }

    // MARK: Who comes, and debts of flows that are over

    @Test func `of those who come at once from one address a few work at once, and the others in turns`() {
        let queue = Self.queue()
        let crowd = (0..<50).map { _ in Flood(queue, from: IPAddress("192.0.2.1")) }
        for flow in crowd { flow.takeTurn() }
        #expect(crowd.count { $0.done > 0 } == 1)
        let other = Talker(from: IPAddress("192.0.2.2"))
        #expect(queue.begin(other))
        for _ in 0..<100 { queue.serve() }
        #expect(crowd.allSatisfy { $0.done > 0 }, "nobody is refused")
    }

    @Test func `connections that come and go have no fresh credit each time`() {
        let queue = Self.queue()
        let other = Flood(queue)
        other.takeTurn()
        var done = 0
        for _ in 0..<1_000 {
            let flow = Flood(queue, from: IPAddress("192.0.2.1"))
            flow.takeTurn()
            done += flow.done
            flow.isOver = true
            queue.ended(flow)
        }
        #expect(done <= 2 * WorkShare.quantum)
    }

    @Test func `what a flow owes stays with its address when it is over`() {
        let queue = Self.queue()
        let address = IPAddress("192.0.2.1")
        let first = Flood(queue, cost: 10_000, from: address)
        first.takeTurn()
        first.isOver = true
        queue.ended(first)
        queue.serve()
        let (second, other) = (Flood(queue, from: address), Flood(queue, from: IPAddress("192.0.2.2")))
        for flow in [second, other] { flow.takeTurn() }
        #expect(second.done == 0 && other.done > 0)
        var rounds = 0
        while second.done == 0, rounds < 1_000 {
            queue.serve()
            rounds += 1
        }
        // as many turns as the first one would have waited
        #expect((10...60).contains(rounds), "\(rounds)")
    }

    @Test func `what a flow did not do itself is not added when it is over`() {
        let queue = Self.queue()
        let address = IPAddress("192.0.2.1")
        let first = Flood(queue, cost: 10_000, from: address)
        first.takeTurn()
        first.isOver = true
        queue.ended(first)
        for _ in 0..<20 {
            let flow = Flood(queue, from: address)
            _ = queue.begin(flow)
            queue.ended(flow)
        }
        let last = Flood(queue, from: address)
        _ = queue.begin(last)
        #expect(last.share.credit >= -10_000)
    }

    @Test func `where the loop has nothing else to do the debt of others is forgiven, too`() {
        let queue = Self.queue(isIdle: true)
        let address = IPAddress("192.0.2.1")
        let first = Flood(queue, cost: 10_000, from: address)
        _ = queue.begin(first)
        first.share.spend(10_000)
        queue.worked(first, since: 0)
        queue.ended(first)
        queue.serve()
        #expect(queue.begin(Flood(queue, from: address)))
    }
}
