package import RoomModel

/// One frame from the broker, as a client sees it.
package enum BrokerFrame: Equatable, Sendable {
    case entry(StoredEntry)
    case members(ObservableMembers)
    case presence(PresenceEvent)
    case gap(GapEvent)
    case cleared(ClearingEvent)
    case notice(NoticeEvent)
    case mute(MuteEvent)
    case removed(Removal)
    case goodbye(Goodbye)
    /// Every frame with a `callback`, errors included.
    case reply(Reply)
    /// An error without a `callback`; about a publish it names what the client had named.
    case failure(ReplyError)
    case ping
    case pong
    /// A frame that came into the protocol after this SDK. With `room` and `seq` it is an entry of that room's log.
    case unknown(type: String, room: RoomName? = nil, seq: UInt64? = nil)
}
