/// The form in which a connection gets what happens in its rooms. `CONTRIBUTING.md` lists what else a further one needs.
package enum WireFormat: Int, CaseIterable, Sendable {
    case jsonLines
    case textLines
    /// Text frames with the JSON of `jsonLines`.
    case webSocket
    /// Server-Sent Events with the JSON of `jsonLines`, and the place in the log as the id of each event.
    case events

    /// The format that every chunk has, whoever is in the room: the store keeps pieces of its bytes, and tombstones are
    /// written in it first.
    package static let canonical = WireFormat.jsonLines

    /// Its name in the metrics and in the admin API.
    package var label: String {
        switch self {
        case .jsonLines: "json"
        case .textLines: "text"
        case .webSocket: "websocket"
        case .events: "events"
        }
    }

    /// Whether a client is told of members, gaps and clears in frames, and gets answers with its callbacks. One without
    /// reads what people read.
    package var hasControlFrames: Bool {
        switch self {
        case .jsonLines, .webSocket, .events: true
        case .textLines: false
        }
    }

    /// Whether its bytes follow from the canonical ones alone, so that a chunk can get the format later.
    package var followsFromCanonical: Bool {
        switch self {
        case .jsonLines, .webSocket, .events: true
        case .textLines: false
        }
    }

    /// Whether the list of a room's members comes before the reply to the subscribe: apps that were written for Scaledrone read
    /// it when the room is open.
    package var listsMembersFirst: Bool {
        switch self {
        case .jsonLines, .textLines: false
        case .webSocket, .events: true
        }
    }

    /// Whether each entry is a write of its own: a plain-text client takes one read for one message.
    package var writesEntriesOneByOne: Bool {
        switch self {
        case .jsonLines, .webSocket, .events: false
        case .textLines: true
        }
    }
}

/// A set of wire formats.
package struct WireFormats: Equatable, Sendable {
    private var bits: UInt = 0

    package init() {}

    package func contains(_ format: WireFormat) -> Bool { self.bits & 1 << format.rawValue != 0 }

    mutating func insert(_ format: WireFormat) {
        self.bits |= 1 << format.rawValue
    }

    mutating func remove(_ format: WireFormat) {
        self.bits &= ~(1 << format.rawValue)
    }
}
