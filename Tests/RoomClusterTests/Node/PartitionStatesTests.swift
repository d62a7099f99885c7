import RoomDelivery
import Testing

@testable import RoomCluster

struct PartitionStatesTests {
    @Test func `a node serves while logs elect a leader, but not while it catches up or its disk fails`() {
        let states = PartitionStates(2)
        #expect(!states.summary.canServe)
        states.changed(0, to: .ready)
        #expect(!states.summary.canServe)
        states.changed(1, to: .disconnected)
        #expect(states.summary.canServe)
        #expect(!states.summary.areAllReady)
        states.changed(0, to: .disconnected)
        #expect(!states.summary.canServe)
        states.changed(0, to: .ready)
        states.changed(1, to: .failing)
        #expect(!states.summary.canServe)
        states.changed(1, to: .ready)
        #expect(states.summary.areAllReady)
    }

    @Test func `the first failure is what is told`() async {
        let states = PartitionStates(2)
        states.changed(0, to: .ready)
        states.changed(1, to: .failed(.declaredDead))
        await states.wait { $0.failure != nil }
        #expect(states.summary.failure?.contains("taken this one for dead") == true)
        #expect(!states.summary.haveAllEnded)
        states.changed(0, to: .closed)
        #expect(states.summary.haveAllEnded)
    }

    @Test func `a change wakes the one who waits`() async {
        let states = PartitionStates(1)
        let waiter = Task { await states.wait(until: \.areAllReady) }
        states.changed(0, to: .failing)
        states.changed(0, to: .ready)
        await waiter.value
        #expect(states.summary.areAllReady)
    }
}
