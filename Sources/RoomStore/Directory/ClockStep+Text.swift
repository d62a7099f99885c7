import Foundation
package import RoomCore

extension ClockStep {
    /// ISO 8601, in UTC.
    ///
    /// - Parameter milliseconds: Unix time.
    package static func text(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
