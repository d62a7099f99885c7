import Testing

@testable import RoomBench

@Suite struct WorkloadPlanTests {
    @Test(arguments: Workload.allCases)
    func `without changes it is the standard`(workload: Workload) throws {
        let plan = try WorkloadPlan(workload, changing: WorkloadSettings())
        var standard = workload.standard
        if workload == .idle { standard.rounds = 1 }
        #expect(plan.settings == standard)
        #expect(plan.settings.members != nil || plan.settings.publishers != nil)
    }

    @Test func `rooms and publishers follow what is given`() throws {
        let few = try WorkloadPlan(.fanout, changing: WorkloadSettings(members: 2))
        #expect(few.settings.rooms == 2 && few.settings.publishers == 2)
        let more = try WorkloadPlan(.fanout, changing: WorkloadSettings(rooms: 10))
        #expect(more.settings.members == 200 && more.settings.publishers == 10)
        let publishers = try WorkloadPlan(.durable, changing: WorkloadSettings(publishers: 3))
        #expect(publishers.settings.rooms == 3)
        let churn = try WorkloadPlan(.churn, changing: WorkloadSettings(members: 1, size: 5))
        #expect(churn.settings.rooms == 50 && churn.settings.size == nil)
    }

    @Test func `no room without a member or a publisher`() {
        #expect(throws: WorkloadPlan.Fault.self) {
            try WorkloadPlan(.rooms, changing: WorkloadSettings(members: 3, rooms: 4))
        }
        #expect(throws: WorkloadPlan.Fault.self) {
            try WorkloadPlan(.durable, changing: WorkloadSettings(rooms: 4, publishers: 3))
        }
    }

    @Test func `settings that no workload has are named`() {
        let changes = WorkloadSettings(members: 1, publishers: 2, burst: 3, rate: 4)
        #expect(changes.unused(by: Workload.allCases).isEmpty)
        #expect(changes.unused(by: [.fanout, .durable]) == ["rate"])
        #expect(changes.unused(by: [.churn]) == ["publishers", "burst", "rate"])
    }

    @Test func `connections are spread over the rooms`() throws {
        let plan = try WorkloadPlan(.latency, changing: WorkloadSettings(members: 3, rooms: 2, publishers: 3))
        #expect(
            ConnectionPlace.all(of: plan) == [
                ConnectionPlace(room: 0, isMember: true), ConnectionPlace(room: 1, isMember: true),
                ConnectionPlace(room: 0, isMember: true), ConnectionPlace(room: 0, isMember: false),
                ConnectionPlace(room: 1, isMember: false), ConnectionPlace(room: 0, isMember: false),
            ]
        )
        #expect(ConnectionPlace.all(of: try WorkloadPlan(.churn, changing: WorkloadSettings())).isEmpty)
    }
}
