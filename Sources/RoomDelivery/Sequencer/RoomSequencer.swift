package import RoomCore
package import RoomModel

/// Gives what happens in the rooms of a shard its order: commands go down, and batches in their order come up, to be sealed by the
/// `RoomOwner`. Confined to the shard's event loop.
package protocol RoomSequencer: AnyObject {
    /// Begins to order a room.
    func makeOrder(of key: RoomKey, in channel: RoomChannel) -> any RoomOrder

    /// Takes a command.
    ///
    /// - Returns: the answer to it where it cannot be taken.
    func take(_ command: RoomCommand, in owned: OwnedRoom) -> RoomAnswer?

    /// Takes a command that takes a member out of a room whose channel is gone.
    ///
    /// - Returns: whether the command was taken.
    func takeDeparture(_ command: RoomCommand, from key: RoomKey) -> Bool

    /// The room as it is now; `nil`: it has not begun.
    func room(_ key: RoomKey) -> Room?

    /// The owner forgets the room.
    func forget(_ owned: OwnedRoom)

    // MARK: The turn

    /// Nothing waits in the rooms.
    var isIdle: Bool { get }

    /// Does what waits in the rooms: a batch of each in turn, until it has cost the budget.
    func turn()

    // MARK: Changes from outside

    /// A room uses its channel's new settings from now on.
    func channelChanged(for owned: OwnedRoom)

    /// The channel of a room is gone.
    func channelRemoved(for owned: OwnedRoom)

    /// A room has these rules from now on.
    func rulesChanged(_ rules: RoomRules, of key: RoomKey)

    /// A read has shown something of a room's log.
    func logReported(_ report: LogReport, of owned: OwnedRoom, _ log: LogID)

    /// The oldest messages of a room's log were deleted.
    func pruned(_ owned: OwnedRoom, through place: Position)

    // MARK: Memory

    /// The bytes that the publish keys of all rooms take.
    var keyBytes: Int { get }
    /// The bytes of their messages that are not stored yet.
    var unstoredBytes: Int { get }

    /// Keeps no more publish keys from now on than these bytes hold, and forgets some of the oldest where there are more.
    ///
    /// - Returns: whether there were.
    func limitKeys(to bytes: Int) -> Bool

    /// Forgets publish keys that have lived long enough.
    ///
    /// - Returns: whether there are more of them.
    func forgetOldKeys() -> Bool
}

/// The order of one room, as its sequencer keeps it.
package protocol RoomOrder: AnyObject {
    /// The room as those see it who deliver what comes next.
    var view: RoomView { get }
    /// The members that have a connection.
    var subscribers: SubscriberCounts { get }
    /// Nothing is under way and nobody is here.
    var isDormant: Bool { get }
    /// The state of the room can be read again where it is stored.
    var isStored: Bool { get }
}
