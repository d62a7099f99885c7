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

    @Test func `where much is going on, memory goes back once a minute`() {
        var decision = MemoryReturn(Self.megabytes(50, processorSeconds: 0))
        var due: [Int] = []
        for look in 1...20 {
            guard Self.isDue(&decision, Self.megabytes(50 + 20 * look, processorSeconds: Double(10 * look))) else {
                continue
            }
            due.append(look)
            decision.returned(resident: (50 + 20 * look - 5) * 1_024 * 1_024)
        }
        #expect(due == [6, 12, 18])
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
