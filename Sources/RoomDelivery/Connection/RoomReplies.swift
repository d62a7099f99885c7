import RoomCore
import RoomModel
import RoomWire

/// One element of the `rooms` of a reply.
struct RoomReply {
    var room: Result<RoomName, RequestError>
    var epoch: Epoch?
    var seq: UInt64?
    /// Whether the room shows the member who is in it.
    var presence: Bool?
    /// Why the member is not in the room.
    var refusal: RequestError?
}

extension PendingJoin {
    /// - Parameter admission: that of a room that has let the member in, as it is now: it may have begun anew while it
    ///   waited for the others.
    func replies(admission: (RoomName) -> Admission?) -> [RoomReply] {
        zip(self.plan.rooms, self.answers).compactMap { room, answer in
            switch answer {
            case .joined(let epoch, let seq):
                let admission = (try? room.get()).flatMap(admission)
                return RoomReply(
                    room: room,
                    epoch: admission?.grant.epoch ?? epoch,
                    seq: admission?.grant.seq ?? seq,
                    presence: admission?.presenceToTell
                )
            case .refused(let error): return RoomReply(room: room, refusal: error)
            case .none: return nil
            }
        }
    }
}

extension RoomsReply {
    init(_ replies: some Sequence<RoomReply>) {
        self.init(
            replies.map { reply in
                RepliedRoom(
                    room: (try? reply.room.get()) ?? reply.refusal?.room,
                    epoch: reply.epoch,
                    seq: reply.seq,
                    presence: reply.presence,
                    refusal: reply.refusal
                )
            }
        )
    }
}

extension Admission {
    /// Whether the room shows the member who is in it, for the reply to a subscribe that has asked.
    var presenceToTell: Bool? { self.join.asksPresence.map { _ in self.showsMembers } }
}
