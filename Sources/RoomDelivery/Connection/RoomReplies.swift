import NIOCore
import RoomCore
import RoomJSON
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

extension FrameWriter {
    mutating func rooms(_ replies: some Sequence<RoomReply>) {
        self.field("rooms", array: replies) { $1.write($0) }
    }

    mutating func joined(_ grant: JoinGrant, presence: Bool?) {
        self.field("epoch", grant.epoch.description)
        self.field("seq", grant.seq)
        if let recovered = grant.recovered { self.field("recovered", recovered) }
        if let presence { self.field("presence", presence) }
    }
}

extension Admission {
    /// Whether the room shows the member who is in it, for the reply to a subscribe that has asked.
    var presenceToTell: Bool? { self.join.asksPresence.map { _ in self.showsMembers } }
}

extension ByteBuffer {
    fileprivate mutating func write(_ reply: RoomReply) {
        let name = (try? reply.room.get()) ?? reply.refusal?.room
        self.writeStaticString("{\"room\":")
        self.writeJSONString(name?.text ?? "")
        if let epoch = reply.epoch {
            self.writeStaticString(",\"epoch\":\"")
            self.write(epoch)
            self.writeStaticString("\"")
        }
        if let seq = reply.seq {
            self.writeStaticString(",\"seq\":")
            self.writeDecimal(Int64(clamping: seq))
        }
        if let presence = reply.presence { self.writeString(",\"presence\":\(presence)") }
        if let refusal = reply.refusal {
            self.writeStaticString(",\"error\":")
            self.writeJSONString(refusal.text)
            self.writeString(",\"code\":\"\(refusal.code.rawValue)\"")
        }
        self.writeStaticString("}")
    }
    /// The 16 digits, without a string for each of a thousand rooms.
    private mutating func write(_ epoch: Epoch) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: epoch.rawValue >> UInt64(shift)) & 0xf
            self.writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
