import Foundation

/// The system's clock.
enum WallClock {
    /// Unix milliseconds.
    static func milliseconds() -> Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000)
    }
}
