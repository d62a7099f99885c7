package import NIOCore

/// The name of a room: 1 to 200 bytes of UTF-8 without control characters, compared byte by byte.
///
/// Swift compares strings by canonical equivalence ("é" composed equals "é" decomposed); the protocol (§3, room names)
/// does not.
package struct RoomName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// FNV-1a over the bytes: a room has the same owner loop in every run.
    package let stableHash: UInt64

    /// Takes any text; `RoomNameRule` in the decoder decides which names a client may use.
    package init(_ text: String) {
        self.text = text
        self.stableHash = StableHash.of(text)
    }

    /// Rooms whose name starts with this have presence (Scaledrone v3).
    package static let observablePrefix = "observable-"

    package var isObservable: Bool { self.text.utf8.starts(with: Self.observablePrefix.utf8) }

    package var description: String { self.text }

    package static func == (left: RoomName, right: RoomName) -> Bool {
        guard left.stableHash == right.stableHash else { return false }
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in right.withUTF8 { right in left.elementsEqual(right) } }
    }

    /// Anybody can make names with the same stable hash, and many of them would slow a table down. Swift's hash has a
    /// random seed.
    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A room within its channel: what identifies a log in the whole broker.
package struct RoomKey: Hashable, Sendable, CustomStringConvertible {
    package let channel: ChannelID
    package let room: RoomName

    package init(channel: ChannelID, room: RoomName) {
        self.channel = channel
        self.room = room
    }

    /// The same in every process: it picks the room's owner loop.
    package var stableHash: UInt64 { StableHash.of(self.channel.text, from: self.room.stableHash) }

    /// In which of so many partitions of a cluster the room is, the same on every machine.
    package func partition(among count: Int) -> Int { Int(self.stableHash % UInt64(count)) }

    package var description: String { "\(self.channel)/\(self.room)" }

    /// With the channel: many have rooms of the same names.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.channel)
        hasher.combine(self.room)
    }
}

/// FNV-1a, 64 bit: a hash that is the same in every process, unlike `Hasher`.
package enum StableHash {
    package static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

    package static func of(_ text: String, from seed: UInt64 = seed) -> UInt64 {
        var text = text
        return text.withUTF8 { self.of($0, from: seed) }
    }

    package static func of(_ buffer: ByteBuffer) -> UInt64 {
        buffer.withUnsafeReadableBytes { self.of($0, from: Self.seed) }
    }

    private static func of(_ bytes: some Sequence<UInt8>, from seed: UInt64) -> UInt64 {
        var hash = seed
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return hash
    }
}
