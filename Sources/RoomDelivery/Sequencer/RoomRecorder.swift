package import RoomCore
package import RoomModel

/// Is told of all that changes the rooms of the broker, each as a value and in its order: a room that is given the same inputs
/// does the same. Called on the loop of the room's owner.
package protocol RoomRecorder: AnyObject, Sendable {
    /// A room comes to be, or comes to be again.
    func began(_ room: Room)
    func took(_ input: RoomInput, in room: RoomKey)
}

/// Something that changes a room.
package enum RoomInput: Sendable {
    /// The command, what of it may wait in all rooms together, and the answer where it was refused.
    case command(RoomCommand, left: Int, refusal: RoomAnswer?)
    case advance(Room.Action)
    /// The turn in which the room took what waited, and the batch that it made.
    case turn(RoomTurn, RoomBatch)
    case store(StoreReport, opensLog: Bool)
    case adoptSettings
    /// Publish keys from before this second are forgotten.
    case forgetKeys(before: UInt32)
}
