import NIOCore
import RoomModel
import Testing

@testable import RoomClient

struct SignalPaceTests {
    private var pace = SignalPace()
    private var now = NIODeadline.uptimeNanoseconds(1)

    private mutating func wait(_ time: TimeAmount) {
        self.now = self.now + time
    }

    @Test mutating func `typing is told every three seconds while it goes on`() {
        var told: [Bool] = []
        for _ in 0...6 {
            told.append(self.pace.typing(true, now: self.now))
            self.wait(.seconds(1))
        }
        #expect(told == [true, false, false, true, false, false, true])
    }

    @Test mutating func `the end of typing is told once, and only if the others think that it goes on`() {
        #expect(self.pace.typing(false, now: self.now) == false)
        #expect(self.pace.typing(true, now: self.now) == true)
        #expect(self.pace.typing(false, now: self.now) == true)
        #expect(self.pace.typing(false, now: self.now) == false)
        #expect(self.pace.typing(true, now: self.now) == true)
        self.wait(.seconds(3))
        #expect(self.pace.typing(false, now: self.now) == false)
    }

    @Test mutating func `typing after a message is told at once`() {
        #expect(self.pace.typing(true, now: self.now) == true)
        self.pace.published()
        #expect(self.pace.typing(false, now: self.now) == false)
        #expect(self.pace.typing(true, now: self.now) == true)
    }

    @Test mutating func `of many read marks in three seconds the first and the last are sent`() {
        #expect(self.pace.readOrder(now: self.now) == .none)
        self.pace.read(through: .make(4))
        #expect(self.pace.readOrder(now: self.now) == .send(.make(4)))
        #expect(self.pace.readOrder(now: self.now) == .none)
        self.pace.read(through: .make(5))
        #expect(self.pace.readOrder(now: self.now) == .wait(until: self.now + .seconds(3)))
        self.pace.read(through: .make(9))
        self.pace.read(through: .make(7))
        #expect(self.pace.readOrder(now: self.now) == .none)
        self.wait(.seconds(3))
        self.pace.waited()
        #expect(self.pace.readOrder(now: self.now) == .send(.make(9)))
    }

    @Test mutating func `a read mark of another log counts, wherever it is`() {
        self.pace.read(through: .make(9))
        #expect(self.pace.readOrder(now: self.now) == .send(.make(9)))
        self.wait(.seconds(3))
        self.pace.read(through: .make(2, epoch: 8))
        #expect(self.pace.readOrder(now: self.now) == .send(.make(2, epoch: 8)))
    }
}
