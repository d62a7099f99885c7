import NIOConcurrencyHelpers
import NIOHTTP1
import RoomModel
import Testing

@testable import RoomHTTP

@Suite struct HTTPLoadTests {
    private let address = IPAddress("192.0.2.1")
    private let other = IPAddress("192.0.2.2")

    private func limits(_ change: (inout HTTPLoad.Limits) -> Void) -> HTTPLoad {
        var limits = HTTPLoad.Limits()
        change(&limits)
        return HTTPLoad(limits: limits)
    }

    @Test func `an address has so many requests under way`() {
        let load = self.limits { $0.requestsPerAddress = 2 }
        let slots = (0..<3).map { _ in HTTPLoad.Slot(load) }
        #expect(slots[0].enter(self.address) == nil)
        #expect(slots[1].enter(self.address) == nil)
        let refusal = slots[2].enter(self.address)
        #expect(refusal?.status == .tooManyRequests && refusal?.code == .tooManyRequests)
        #expect(refusal?.headers[field: "Retry-After"] == "1")
        #expect(slots[2].enter(self.other) == nil)
        slots[0].leave()
        #expect(HTTPLoad.Slot(load).enter(self.address) == nil)
        #expect(HTTPLoad.Slot(load).enter(IPAddress("127.0.0.1")) == nil)
        #expect(load.addresses == 2)
    }

    @Test func `answers that are not read are counted for the address`() {
        let load = self.limits {
            $0.unreadPerAddress = 100
        }
        let slot = HTTPLoad.Slot(load)
        #expect(slot.enter(self.address) == nil)
        slot.isUnread(101)
        #expect(HTTPLoad.Slot(load).enter(self.address)?.status == .tooManyRequests)
        #expect(HTTPLoad.Slot(load).enter(self.other) == nil)
        slot.leave()
        #expect(HTTPLoad.Slot(load).enter(self.address) == nil)
    }

    @Test func `where too much is not read in all, the connection with most is closed, and nobody is refused`() {
        let load = self.limits { $0.unread = 1_000 }
        let closed = NIOLockedValueBox<[Int]>([])
        let slots = (0..<3).map { number in
            HTTPLoad.Slot(load) { closed.withLockedValue { $0.append(number) } }
        }
        for slot in slots { #expect(slot.enter(self.address) == nil) }
        slots[0].isUnread(300)
        slots[1].isUnread(600)
        #expect(closed.withLockedValue(\.self) == [])
        slots[2].isUnread(200)
        #expect(closed.withLockedValue(\.self) == [1])
        #expect(HTTPLoad.Slot(load).enter(self.other) == nil)
        slots[1].isUnread(500)
        slots[0].isUnread(800)
        #expect(closed.withLockedValue(\.self) == [1], "what is being closed counts no more")
        slots[1].close()
        slots[2].isUnread(201)
        #expect(closed.withLockedValue(\.self) == [1, 0])
        for slot in slots { slot.close() }
        #expect(load.addresses == 1)
    }

    @Test func `bodies of all requests take so much together, and are given back with the answer`() {
        let load = self.limits { $0.bodies = 100_000 }
        let slots = (0..<3).map { _ in HTTPLoad.Slot(load) }
        #expect(slots[0].holds(body: 30_000) == nil)
        #expect(slots[0].holds(body: 60_000) == nil)
        #expect(slots[1].holds(body: 40_000) == nil)
        #expect(slots[2].holds(body: 4_000) == nil, "a small one always passes")
        let refusal = slots[2].holds(body: 5_000)
        #expect(refusal?.status == .serviceUnavailable && refusal?.code == .tooManyRequests)
        slots[1].leave()
        #expect(slots[2].holds(body: 40_000) == nil)
        slots[0].close()
        #expect(slots[1].holds(body: 60_000) == nil)
        slots[1].handOverBody()
        let other = HTTPLoad.Slot(load)
        #expect(other.holds(body: 60_000) == nil)
        slots[1].leave()
        #expect(HTTPLoad.Slot(load).holds(body: 5_000)?.status == .serviceUnavailable, "given back once")
    }

    @Test func `a connection that is gone counts no more, also where its request is still being answered`() {
        let load = HTTPLoad()
        let slots = (0..<2).map { _ in HTTPLoad.Slot(load) }
        #expect(slots[0].enter(self.address) == nil)
        slots[0].isUnread(5)
        slots[0].close()
        slots[1].close()
        #expect(slots[1].enter(self.address) == nil)
        #expect(load.addresses == 0)
    }
}
