import RoomCore
import RoomModel
import RoomWire

/// A notice of moderation to one member alone.
enum MemberNotice {
    case mute(MuteChange)
    case removed(from: RoomName, Code, reason: String)
    /// In one room; without it for all who are connected to the channel.
    case notice(Notice, RoomName?)

    /// For a client whose wire format has no frames for it.
    var line: String {
        switch self {
        case .mute(let change): change.mute.map { RequestError.muted($0).text } ?? "you are not muted any more"
        case .removed(_, _, let reason): reason
        case .notice(let notice, _): notice.text
        }
    }

    func write(into frame: inout FrameWriter) {
        switch self {
        case .mute(let change): frame.frame(MuteEvent(change.mute, in: change.scope.room))
        case .removed(let room, let code, let reason):
            frame.frame(Removal(room: room, reason: reason, code: code.rawValue))
        case .notice(let notice, let room): frame.frame(NoticeEvent(notice, room: room))
        }
    }
}

extension Connection {
    /// - Parameter stamp: of the frame; `nil`: the broker's own.
    func tell(_ notice: MemberNotice, stamp: Stamp? = nil) {
        self.tell(notice.line, stamp: stamp) { notice.write(into: &$0) }
    }
}
