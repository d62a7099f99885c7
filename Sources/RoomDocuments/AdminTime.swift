public import Foundation
import RoomModel
import RoomWire

/// A time as the admin API writes it: RFC 3339 in UTC with milliseconds.
public struct AdminTime: RawRepresentable, Hashable, Sendable, Decodable, CustomStringConvertible {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The text, such as `2026-11-21T15:12:07.120Z`.
    public let rawValue: String

    /// Creates a time from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// - Parameter milliseconds: Unix milliseconds.
    package init(milliseconds: Int64) {
        let digits = String(1_000 + milliseconds % 1_000).dropFirst()
        self.rawValue = "\(UTCTime.text(milliseconds: milliseconds).dropLast()).\(digits)Z"
    }

    /// The time; `nil` if the text is none.
    public var date: Date? {
        // The text is all that is known then.
        try? Self.format.parse(self.rawValue)
    }

    /// The text.
    public var description: String { self.rawValue }
}

extension AdminTime: Comparable {
    /// Texts of this form ascend with time.
    public static func < (left: AdminTime, right: AdminTime) -> Bool { left.rawValue < right.rawValue }
}

extension AdminTime: TextValue {}
