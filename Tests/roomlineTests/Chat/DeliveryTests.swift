import Testing

@testable import roomline

@Suite struct DeliveryTests {
    private var delivery = Delivery()

    @Test mutating func `the chat can be left when everything is acknowledged and shown`() {
        self.delivery.submitted()
        self.delivery.submitted()
        #expect(self.delivery.leave() == false)
        #expect(!self.delivery.canLeave)
        self.delivery.settled(seq: 7)
        self.delivery.settled(seq: nil)
        #expect(!self.delivery.canLeave && self.delivery.refused == 1)
        self.delivery.saw(7)
        #expect(self.delivery.canLeave)
    }

    @Test mutating func `nobody is kept who did not want to go`() {
        #expect(!self.delivery.canLeave)
        _ = self.delivery.leave()
        #expect(self.delivery.canLeave)
        #expect(self.delivery.leave() == true)
    }

    @Test mutating func `what the room never brings is not waited for for ever`() {
        self.delivery.submitted()
        _ = self.delivery.leave()
        self.delivery.tick()
        self.delivery.settled(seq: 7)
        for _ in 0..<2 { self.delivery.tick() }
        #expect(!self.delivery.canLeave)
        self.delivery.tick()
        #expect(self.delivery.canLeave)
    }
}
