import RoomJSON
import RoomModel

extension JSONTree {
    /// RFC 3339 in UTC, with milliseconds.
    static func time(milliseconds: Int64) -> JSONTree {
        let digits = String(1_000 + milliseconds % 1_000).dropFirst()
        return .string("\(UTCTime.text(milliseconds: milliseconds).dropLast()).\(digits)Z")
    }

    /// A number of seconds, with milliseconds where there are some.
    static func seconds(_ duration: Duration) -> JSONTree {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return .integer(seconds) }
        let digits = String(1_000 + milliseconds).dropFirst()
        return .number("\(seconds).\(digits)")
    }
}
