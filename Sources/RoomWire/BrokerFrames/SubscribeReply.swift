package import RoomModel

/// Where the room's log is as the subscription begins.
package struct SubscribeReply: Equatable, Sendable {
    /// `nil` where the broker names none that could be given back to it.
    package let epoch: Epoch?
    /// That of the newest message; 0 where there is none.
    package let seq: UInt64
    /// Whether all that was missed follows; `nil` where no `since` was given.
    package let recovered: Bool?

    package init(epoch: Epoch?, seq: UInt64, recovered: Bool? = nil) {
        self.epoch = epoch
        self.seq = seq
        self.recovered = recovered
    }
}
