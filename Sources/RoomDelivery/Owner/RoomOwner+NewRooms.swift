import NIOCore
import RoomCore
import RoomModel

/// Refusals of commands that would bring too many rooms to life, or hold too many in memory.
extension RoomOwner {
    /// Why a room cannot get its first member: there is no memory for it.
    func firstMemberRefusal(of command: RoomCommand, _ owned: OwnedRoom) -> RequestError? {
        guard case .join(let join) = command, !join.isResync, !owned.countsAsHeld else { return nil }
        guard !self.context.memory.takesRoom else {
            self.countAsHeld(owned, true)
            return nil
        }
        return RequestError(
            .tooManyRooms,
            "the broker has no memory left for another room with members; try again later",
            room: owned.key.room
        )
    }

    package func countAsHeld(_ owned: OwnedRoom, _ isHeld: Bool) {
        guard owned.countsAsHeld != isHeld else { return }
        owned.countsAsHeld = isHeld
        self.context.memory.rooms += isHeld ? 1 : -1
    }

    /// Why a command cannot bring a room to life: there were too many of those lately.
    func newRoomRefusal(
        of command: RoomCommand,
        _ owned: OwnedRoom,
        by maker: RoomMaker?
    ) -> RequestError? {
        guard owned.isNew else { return nil }
        let member: ClientID?
        switch command {
        case .join(let join) where !join.isResync: member = join.clientID
        case .publish(let publish): member = publish.sender.clientID
        default: return nil
        }
        let now = self.context.now.uptimeNanoseconds
        let maker = member.map { .member($0) } ?? maker
        if let error = maker.flatMap({ self.context.environment.newRooms?.refusal(of: $0, now: now) })
            ?? owned.channel.newRoomRefusal(of: maker, now: now)
        {
            return error
        }
        owned.isNew = false
        return nil
    }
}
