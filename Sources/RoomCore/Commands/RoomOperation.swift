/// A command that has all of its own in one file: its fields, its record, and its effect on a room.
package protocol RoomOperation: RecordParts {
    /// Who is answered.
    var origin: Origin { get }

    /// Changes the room, and adds to the batch: entries for all, answers for some.
    func take(in room: inout Room, into batch: inout RoomBatch)
}
