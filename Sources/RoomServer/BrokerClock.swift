import RoomCore
import Synchronization

/// The machine's clock as the broker follows it: ids, and what is deleted for its age, go by it. It goes on by itself where the
/// machine's clock steps more than a day forward, until that steps back or the broker is started again. In the first ten minutes it
/// goes everywhere: a machine without a battery learns the time only then.
///
/// Any thread may call.
final class BrokerClock: Sendable {
    /// Unix milliseconds of the machine's clock.
    private let machine: @Sendable () -> Int64
    /// Milliseconds that go on whoever sets the clock, also while the machine sleeps.
    private let uptime: @Sendable () -> Int64
    private let began: Int64
    private let followed: Mutex<FollowedClock>
    /// The machine's clock when both clocks were compared last; `unknown`: they are compared at each look.
    private let compared: Atomic<Int64>

    private static let unknown = Int64.min
    private static let settling: Int64 = 600_000
    /// A clock that moved on by no more than this need not be compared.
    private static let step: Int64 = 1_000

    init(
        machine: @escaping @Sendable () -> Int64 = WallClock.milliseconds,
        uptime: @escaping @Sendable () -> Int64 = BrokerClock.uptimeMilliseconds
    ) {
        self.machine = machine
        self.uptime = uptime
        self.began = uptime()
        self.followed = Mutex(FollowedClock(unix: machine(), uptime: self.began))
        self.compared = Atomic(Self.unknown)
    }

    /// The machine's clock is more than a day ahead of this one.
    var isHeld: Bool { self.followed.withLock { $0.isHeld } }

    /// Unix milliseconds.
    var now: Int64 {
        let unix = self.machine()
        let compared = self.compared.load(ordering: .relaxed)
        if compared != Self.unknown, (0...Self.step).contains(unix - compared) { return unix }
        return self.compare(unix)
    }

    private func compare(_ unix: Int64) -> Int64 {
        let uptime = self.uptime()
        let (now, isHeld) = self.followed.withLock { followed in
            (followed.now(unix, uptime: uptime, mayStep: uptime - self.began < Self.settling), followed.isHeld)
        }
        self.compared.store(isHeld ? Self.unknown : unix, ordering: .relaxed)
        return now
    }

    /// `ContinuousClock` goes on while the machine sleeps.
    private static let uptimeMilliseconds: @Sendable () -> Int64 = { [start = ContinuousClock.now] in
        Int64(start.duration(to: .now) / .milliseconds(1))
    }
}

/// Two clocks side by side. Times are in milliseconds.
struct FollowedClock {
    private var unix: Int64
    private var uptime: Int64
    private(set) var isHeld = false

    init(unix: Int64, uptime: Int64) {
        self.unix = unix
        self.uptime = uptime
    }

    /// - Parameter mayStep: it goes wherever the machine's clock goes.
    mutating func now(_ unix: Int64, uptime: Int64, mayStep: Bool = false) -> Int64 {
        let expected = self.unix + uptime - self.uptime
        self.isHeld = !mayStep && ClockStep.isFar(from: expected, to: unix)
        if self.isHeld { return expected }
        (self.unix, self.uptime) = (unix, uptime)
        return unix
    }
}
