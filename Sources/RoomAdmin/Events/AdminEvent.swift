import NIOCore
public import RoomClient
package import RoomJSON

/// Something that has happened in the broker: `Event` in `Schemas/admin.openapi.yaml`.
public struct AdminEvent: Equatable, Sendable {
    /// What has happened. Newer brokers may send other words.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the API.
        public let rawValue: String

        /// Creates a kind from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the API.
        public var description: String { self.rawValue }

        /// A client has connected.
        public static let connected = Self(rawValue: "connected")
        /// A client has gone.
        public static let disconnected = Self(rawValue: "disconnected")
        /// The number of the members of a room has changed.
        public static let roomChanged = Self(rawValue: "room_changed")
        /// A channel was created or changed.
        public static let channelChanged = Self(rawValue: "channel_changed")
        /// A channel was deleted.
        public static let channelRemoved = Self(rawValue: "channel_removed")
        /// A moderator has acted.
        public static let moderated = Self(rawValue: "moderated")
        /// Events are missing here: the broker was started again, or no longer remembers them.
        public static let gap = Self(rawValue: "gap")
        /// This reader is too slow; the broker ends the stream.
        public static let overflow = Self(rawValue: "overflow")
    }

    /// Its place among the events, from which a reader can go on; `nil` for an event that is only about this stream.
    public let id: String?
    /// What has happened.
    public let kind: Kind
    /// The fields.
    package let fields: [JSONTree.Field]

    /// `nil` where the data are no object: such an event is not for this version.
    init?(_ event: EventLines.Event) {
        guard let tree = try? JSONTree.read(ByteBuffer(string: event.data)), case .object(let fields) = tree else {
            return nil
        }
        self.id = event.id
        self.kind = Kind(rawValue: event.type)
        self.fields = fields
    }

    /// The time at which it has happened.
    public var time: AdminTime? { self.text("time").map { AdminTime(rawValue: $0) } }
    /// The channel that it is about.
    public var channel: String? { self.text("channel") }
    /// The room that it is about.
    public var room: String? { self.text("room") }
    /// The client id that it is about.
    public var clientID: String? { self.text("client_id") }
    /// With ``Kind/moderated``: what was done.
    public var action: String? { self.text("action") }
    /// With ``Kind/disconnected``: why the connection ended.
    public var reason: String? { self.text("reason") }
    /// With ``Kind/roomChanged``: how many members the room has now.
    public var members: Int? { JSONTree.object(self.fields)["members"]?.integer }

    /// The whole data.
    public var json: JSON { JSON(unchecked: JSONTree.object(self.fields).bytes) }

    private func text(_ name: String) -> String? { JSONTree.object(self.fields)[name]?.string }
}
