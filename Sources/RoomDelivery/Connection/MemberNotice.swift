import RoomCore
import RoomModel
import RoomWire

/// A notice of moderation to one member alone.
enum MemberNotice {
    case muted(Sanction)
    /// In one room, or in the channel.
    case unmuted(RoomName?)
    case removed(from: RoomName, Code, reason: String)
    /// In one room; without it for all who are connected to the channel.
    case notice(Notice, RoomName?)

    /// For a client whose wire format has no frames for it.
    var line: String {
        switch self {
        case .muted(let mute): RequestError.muted(mute).text
        case .unmuted: "you are not muted any more"
        case .removed(_, _, let reason): reason
        case .notice(let notice, _): notice.text
        }
    }

    func write(into frame: inout FrameWriter) {
        switch self {
        case .muted(let mute): frame.frame(MuteEvent(mute))
        case .unmuted(let room): frame.frame(MuteEvent(room: room, isMuted: false))
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
