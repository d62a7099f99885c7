import RoomModel

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
