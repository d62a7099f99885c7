import RoomCore
import RoomModel

extension RoomChannel {
    func keepsHistory(_ room: RoomName) -> Bool { self.history(of: room) != nil }
}
