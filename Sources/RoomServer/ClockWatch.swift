import Logging
import RoomCore
import RoomStore
import ServiceLifecycle

/// What is wrong with the clock, as `/health` and the log have it.
struct ClockWarnings: Equatable, Sendable {
    /// Ids may be so far ahead of the clock, in milliseconds, before anybody is told.
    static let leeway: Int64 = 60_000

    let isHeld: Bool
    let areIDsAhead: Bool

    /// - Parameters:
    ///   - ids: up to when ids may have been given, in Unix milliseconds.
    ///   - now: Unix milliseconds.
    init(isHeld: Bool, ids: Int64, now: Int64) {
        self.isHeld = isHeld
        self.areIDsAhead = ids > now + Self.leeway
    }

    var codes: [String] { (self.isHeld ? ["clock_not_followed"] : []) + (self.areIDsAhead ? ["ids_ahead"] : []) }
}

/// Has the log say once a day, and when that changes, that the clock is not followed, or that ids are ahead of it.
struct ClockWatch: Service {
    let clock: BrokerClock
    let floor: ClockFloor
    let logger: Logger

    var warnings: ClockWarnings {
        ClockWarnings(isHeld: self.clock.isHeld, ids: self.floor.reserved, now: self.clock.now)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var news = DailyNews<ClockWarnings>()
            repeat {
                let warnings = self.warnings
                if news.isNew(warnings, now: self.clock.now / 1_000) { self.tell(warnings) }
            } while (try? await Task.sleep(for: .seconds(60))) != nil  // throws when cancelled
        }
    }

    private func tell(_ warnings: ClockWarnings) {
        let clock = "\(ClockStep.text(WallClock.milliseconds()))"
        if warnings.isHeld {
            self.logger.warning(
                "the machine's clock has stepped more than a day forward, and is not followed",
                metadata: ["code": "clock_not_followed", "clock": "\(clock)"]
            )
        }
        if warnings.areIDsAhead {
            self.logger.warning(
                "ids are ahead of the clock: times of new messages are wrong",
                metadata: ["code": "ids_ahead", "ids": "\(ClockStep.text(self.floor.reserved))", "clock": "\(clock)"]
            )
        }
    }
}
