package import RoomModel

/// The place that a published message has got.
package struct Receipt: Equatable, Sendable {
    package let id: UniqueID
    /// `nil` for an ephemeral message.
    package let seq: UInt64?
    /// The message had been published before, and this is the place it got then.
    package let isDuplicate: Bool

    package init(id: UniqueID, seq: UInt64?, isDuplicate: Bool = false) {
        self.id = id
        self.seq = seq
        self.isDuplicate = isDuplicate
    }
}
