import Foundation
import RoomClient

/// How an event becomes a line.
enum TailFormat: Sendable {
    case text(timeZone: TimeZone)
    /// - Parameter escapesUnsafe: what a terminal would obey stands as `\u` escapes, which is the same JSON.
    case json(escapesUnsafe: Bool)

    /// `nil` for what this format does not show.
    func line(for event: RoomEvent<JSON>, in room: String, now: Date = Date()) -> String? {
        switch self {
        case .text(let timeZone): TailText(timeZone: timeZone).line(for: event, in: room, now: now)
        case .json(let escapesUnsafe): TailObject.line(for: event, in: room, escapesUnsafe: escapesUnsafe)
        }
    }
}
