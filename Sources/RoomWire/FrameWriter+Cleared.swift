package import RoomModel

extension FrameWriter {
    /// The fields of a `room_cleared`: the room goes on at 0 of this epoch.
    package mutating func roomCleared(_ room: RoomName, epoch: Epoch) {
        self.field("type", "room_cleared")
        self.field("room", room.text)
        self.field("epoch", epoch.description)
        self.field("seq", 0)
    }
}
