import NIOCore
import RoomJSON
import RoomModel

/// The frame as a whole, and one function for each kind.
extension BrokerFrameReader {
    func frame() throws(BrokerFrameError) -> BrokerFrame {
        if let callback: Int64 = try self.integer(.callback) {
            return .reply(try self.about("reply").reply(callback: callback))
        }
        guard let place = self.value(.type) else {
            guard self.value(.error) != nil else {
                throw self.fault(.missingField, "it needs a \"type\", a \"callback\" or an \"error\"")
            }
            return try self.about("error").failure()
        }
        guard let type: BrokerFrameType = try self.word(at: place, .type) else {
            return .unknown(type: try self.text(at: place, .type))
        }
        return try self.about(type.name).frame(of: type)
    }

    private func frame(of type: BrokerFrameType) throws(BrokerFrameError) -> BrokerFrame {
        switch type {
        case .publish: .message(try self.message(isHistory: false))
        case .historyMessage: .message(try self.message(isHistory: true))
        case .members: .members(try self.members())
        case .memberJoin: .presence(try self.presence(.joined))
        case .memberLeave: .presence(try self.presence(.left))
        case .memberUpdate: .presence(try self.presence(.updated))
        case .gap: .gap(try self.gap())
        case .messageRedacted: .redaction(try self.redaction())
        case .roomCleared: .cleared(try self.clearing())
        case .notice: .notice(try self.notice())
        case .muted: .mute(try self.mute(isMuted: true))
        case .unmuted: .mute(try self.mute(isMuted: false))
        case .removed: .removed(try self.removal())
        case .goodbye: .goodbye(try self.goodbye())
        case .ping: .ping
        case .pong: .pong
        }
    }

    func message(isHistory: Bool) throws(BrokerFrameError) -> DeliveredMessage {
        DeliveredMessage(
            room: try self.room(),
            id: try self.required(.id, try self.uniqueID(.id), "a UUID"),
            seq: try self.seq(.seq),
            sender: try self.object(.sender),
            // `null` is a message, too
            message: self.slice(try self.required(.message, self.scan[.message], "a JSON value")),
            isHistory: isHistory,
            isRedacted: try self.flag(.redacted) ?? false
        )
    }

    private func members() throws(BrokerFrameError) -> ObservableMembers {
        let members = try self.objects(.data)
        return ObservableMembers(
            room: try self.room(),
            members: members,
            count: try self.integer(.memberCount, atLeast: 0) ?? members.count
        )
    }

    private func presence(_ kind: PresenceEvent.Kind) throws(BrokerFrameError) -> PresenceEvent {
        PresenceEvent(room: try self.room(), kind: kind, member: try self.object(.data))
    }

    private func gap() throws(BrokerFrameError) -> GapEvent {
        GapEvent(
            room: try self.room(),
            epoch: try self.requiredString(.epoch),
            from: try self.requiredSeq(.fromSeq),
            through: try self.requiredSeq(.toSeq),
            reason: try self.requiredString(.reason)
        )
    }

    private func removal() throws(BrokerFrameError) -> Removal {
        Removal(room: try self.room(), reason: try self.requiredString(.reason), code: try self.string(.code))
    }

    private func goodbye() throws(BrokerFrameError) -> Goodbye {
        Goodbye(
            code: try self.requiredString(.code),
            reason: try self.requiredString(.reason),
            reconnects: try self.requiredFlag(.reconnect),
            retryAfterMilliseconds: try self.integer(.retryAfter, atLeast: 0)
        )
    }
}

/// The frames that tell of moderation.
extension BrokerFrameReader {
    func redaction() throws(BrokerFrameError) -> RedactionEvent {
        RedactionEvent(
            room: try self.room(),
            id: try self.required(.id, try self.uniqueID(.id), "a UUID"),
            seq: try self.requiredSeq(.seq),
            targetSeq: try self.requiredSeq(.targetSeq),
            targetID: try self.required(.targetID, try self.uniqueID(.targetID), "a UUID"),
            reason: try self.string(.reason),
            sender: try self.object(.sender)
        )
    }

    func clearing() throws(BrokerFrameError) -> ClearingEvent {
        ClearingEvent(
            room: try self.room(),
            epoch: try self.requiredString(.epoch),
            seq: try self.requiredSeq(.seq),
            sender: try self.object(.sender)
        )
    }

    func notice() throws(BrokerFrameError) -> NoticeEvent {
        NoticeEvent(
            room: try self.string(.room).map { RoomName($0) },
            text: try self.requiredString(.text),
            code: try self.string(.code),
            seconds: try self.integer(.seconds, atLeast: 0),
            sender: try self.object(.sender)
        )
    }

    func mute(isMuted: Bool) throws(BrokerFrameError) -> MuteEvent {
        MuteEvent(
            room: try self.string(.room).map { RoomName($0) },
            isMuted: isMuted,
            reason: try self.string(.reason),
            until: try self.integer(.until, atLeast: 0)
        )
    }
}
