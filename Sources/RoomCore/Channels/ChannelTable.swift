package import RoomModel

/// The channels of this broker by id. Each shard has one of its own.
package struct ChannelTable: Sendable {
    private var channels: [String: RoomChannel]

    package init(_ channels: [RoomChannel]) {
        self.channels = Dictionary(channels.map { ($0.id.text, $0) }, uniquingKeysWith: { _, last in last })
    }

    package subscript(id: String) -> RoomChannel? { self.channels[id] }

    package subscript(id: ChannelID) -> RoomChannel? { self.channels[id.text] }

    package var all: [RoomChannel] { self.channels.values.sorted { $0.id.text < $1.id.text } }

    package mutating func set(_ channel: RoomChannel) {
        self.channels[channel.id.text] = channel
    }

    package mutating func remove(_ id: ChannelID) {
        self.channels.removeValue(forKey: id.text)
    }
}
