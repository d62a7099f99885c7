import NIOCore
import Testing

@testable import RoomDelivery

struct DeadlinesTests {
    @Test func `the next one is the first that still means something`() {
        var deadlines = Deadlines()
        for second in 1...4 {
            let time = NIODeadline.uptimeNanoseconds(UInt64(second) * 1_000_000_000)
            deadlines.add(.silence(connection: UInt64(second)), at: time) { _ in true }
        }
        deadlines.dropPointless { $0 == .silence(connection: 3) }
        #expect(deadlines.next == .uptimeNanoseconds(3_000_000_000))
        deadlines.dropPointless { $0 == .silence(connection: 4) }
        #expect(deadlines.next == .uptimeNanoseconds(4_000_000_000))
    }
}
