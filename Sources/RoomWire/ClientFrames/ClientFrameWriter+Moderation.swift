package import NIOCore
package import RoomModel

/// The request of a moderator.
extension ClientFrameWriter {
    package static func moderate(_ request: ModerationRequest, callback: Int64?, into buffer: inout ByteBuffer) {
        Self.write("moderate", callback, into: &buffer) { frame in
            frame.field("room", request.room.text)
            frame.act(request.act)
        }
    }
}

extension FrameWriter {
    fileprivate mutating func act(_ act: ModerationAct) {
        self.field("action", ModerationAction(act).rawValue)
        switch act {
        case .kick(let client, let reason):
            self.field("client_id", client.text)
            self.reason(reason)
        case .impose(_, let subject, let reason, let seconds):
            self.subject(subject)
            self.reason(reason)
            if let seconds { self.field("seconds", seconds) }
        case .banAndRedact(let subject, let reason, let seconds):
            self.subject(subject)
            self.reason(reason)
            if let seconds { self.field("seconds", seconds) }
            self.field("redact", true)
        case .lift(_, let subject): self.subject(subject)
        case .lock(let reason): self.reason(reason)
        case .slowMode(let seconds): self.field("seconds", seconds)
        case .limitMembers(let count): self.field("count", count)
        case .redact(let target, let reason):
            self.target(target)
            self.reason(reason)
        case .redactAll(let subject, let after, let reason):
            self.subject(subject)
            if after > 0 { self.field("after_seq", after) }
            self.reason(reason)
        case .notice(let text): self.field("text", text)
        case .show(let message): if let message { self.target(message) }
        case .unlock, .clear: break
        }
    }

    private mutating func target(_ message: MessageReference) {
        switch message {
        case .seq(let seq): self.field("target_seq", seq)
        case .id(let id): self.field("target_id", id)
        }
    }

    private mutating func reason(_ reason: String?) {
        if let reason { self.field("reason", reason) }
    }

    private mutating func subject(_ subject: SanctionSubject) {
        switch subject {
        case .user(let user): self.field("user", user)
        case .client(let client): self.field("client_id", client.text)
        case .address(let range): self.field("address", "\(range)")
        }
    }
}

extension ModerationAction {
    fileprivate init(_ act: ModerationAct) {
        switch act {
        case .kick: self = .kick
        case .impose(.ban, _, _, _), .banAndRedact: self = .ban
        case .impose(.mute, _, _, _): self = .mute
        case .lift(.ban, _): self = .unban
        case .lift(.mute, _): self = .unmute
        case .lock: self = .lock
        case .unlock: self = .unlock
        case .slowMode: self = .slowMode
        case .limitMembers: self = .limitMembers
        case .redact, .redactAll: self = .redact
        case .clear: self = .clear
        case .notice: self = .notice
        case .show: self = .show
        }
    }
}
