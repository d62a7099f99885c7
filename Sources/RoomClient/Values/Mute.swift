public import Foundation
import RoomWire

/// That this client may read and not publish.
public struct Mute: Sendable, Hashable {
    /// For people.
    public let reason: String?
    /// When it ends by itself; `nil`: when a moderator lifts it.
    public let until: Date?
}

extension Mute {
    init(_ event: MuteEvent) {
        self.init(reason: event.reason, until: event.until.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
}
