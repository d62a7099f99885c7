import RoomModel
import RoomWire

/// What moderators do, and what this client does as one.
extension ClientCore {
    func received(_ event: NoticeEvent) {
        if let room = event.room {
            self.subscribedRoom(room)?.received(event)
        } else {
            self.events.tell(.notice(ModeratorNotice(event)))
        }
    }

    func received(_ event: MuteEvent) {
        if let room = event.room {
            self.subscribedRoom(room)?.received(event)
        } else {
            self.events.tell(event.isMuted ? .muted(Mute(event)) : .unmuted)
        }
    }

    /// Asks once, if there is a connection: whether what was lost on its way was done cannot be told, and a notice may not
    /// come twice.
    func moderate(_ request: ModerationRequest, waiter: Waiter<Reply>) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        self.ask(.fails) {
            ClientFrameWriter.moderate(request, callback: $0, into: &$1)
        } handler: { _, result in
            waiter.answer(result)
        }
    }
}
