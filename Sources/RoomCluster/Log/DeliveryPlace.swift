/// What the server says of a message that a consumer is sent, in the subject for its answer:
/// `$JS.ACK.stream.consumer.times.place.number.nanoseconds.pending`.
struct DeliveryPlace: Equatable, Sendable {
    /// The place in the stream.
    var place: UInt64
    /// Ascending without holes for each consumer.
    var number: UInt64
    /// When the stream took it, Unix time: the same on all servers.
    var nanoseconds: Int64

    init?(_ reply: String) {
        let words = reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard words.count == 9, let place = Self.number(words[5]), let number = Self.number(words[6]),
            let nanoseconds = Self.number(words[7]).flatMap({ Int64(exactly: $0) })
        else { return nil }
        self.place = place
        self.number = number
        self.nanoseconds = nanoseconds
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? { UInt64(Substring(digits)) }
}

/// The time that direct answers have as text, as `2026-11-25T08:11:57.594840252Z`.
enum StreamTime {
    /// Nanoseconds of Unix time; `nil` where the text is no such time.
    static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.dropLast().split(separator: "T")
        guard text.last == "Z", parts.count == 2 else { return nil }
        let date = parts[0].split(separator: "-").compactMap { Int64($0) }
        let clock = parts[1].split(separator: ".")
        let time = clock.first?.split(separator: ":").compactMap { Int64($0) } ?? []
        guard date.count == 3, time.count == 3, clock.count <= 2, 1...12 ~= date[1], 1678...2261 ~= date[0] else {
            return nil
        }
        let fraction = clock.count == 2 ? String(clock[1]) : ""
        guard fraction.utf8.count <= 9,
            let rest = Int64(fraction + String(repeating: "0", count: 9 - fraction.utf8.count))
        else { return nil }
        let seconds = Self.days(date[0], date[1], date[2]) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
        return seconds * 1_000_000_000 + rest
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar, whose years begin in March here.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
