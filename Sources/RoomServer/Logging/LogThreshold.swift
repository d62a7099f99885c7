package import Logging
import Synchronization

/// The lowest level that is logged, for all loggers that have not been given one of their own. It can be changed while the
/// broker runs.
package final class LogThreshold: Sendable {
    private static let levels = Logger.Level.allCases
    private let index: Atomic<Int>

    package init(_ level: Logger.Level) {
        self.index = Atomic(Self.index(of: level))
    }

    var level: Logger.Level {
        get { Self.levels[self.index.load(ordering: .relaxed)] }
        set { self.index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { self.levels.firstIndex(of: level) ?? 0 }
}
