import Testing

@testable import RoomServer

struct MemoryReturnTests {
    private static func megabytes(_ count: Int, processorSeconds: Double) -> MemoryReturn.Figures {
        .init(resident: count * 1_024 * 1_024, processorSeconds: processorSeconds)
    }

    private static func isDue(_ decision: inout MemoryReturn, _ figures: MemoryReturn.Figures) -> Bool {
        decision.isDue(figures, after: 10)
    }

    @Test func `memory goes back when it has grown and little is going on`() {
        var decision = MemoryReturn(Self.megabytes(50, processorSeconds: 0))
        #expect(Self.isDue(&decision, Self.megabytes(60, processorSeconds: 1)) == false, "too little")
        #expect(Self.isDue(&decision, Self.megabytes(400, processorSeconds: 9)) == false, "busy")
        #expect(Self.isDue(&decision, Self.megabytes(400, processorSeconds: 10)) == true)
    }

    @Test func `what is in use is not looked for again and again`() {
        var decision = MemoryReturn(Self.megabytes(50, processorSeconds: 0))
        #expect(Self.isDue(&decision, Self.megabytes(400, processorSeconds: 0)) == true)
        decision.returned(resident: 390 * 1_024 * 1_024)
        #expect(Self.isDue(&decision, Self.megabytes(392, processorSeconds: 0)) == false)
        #expect(Self.isDue(&decision, Self.megabytes(410, processorSeconds: 0)) == true)
    }

    @Test func `growth counts from the least that was resident`() {
        var decision = MemoryReturn(Self.megabytes(400, processorSeconds: 0))
        #expect(Self.isDue(&decision, Self.megabytes(100, processorSeconds: 0)) == false)
        #expect(Self.isDue(&decision, Self.megabytes(120, processorSeconds: 0)) == true)
    }
}
