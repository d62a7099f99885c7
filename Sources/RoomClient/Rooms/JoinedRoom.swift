import NIOCore
import RoomModel
import RoomWire

/// A room that the app is in, as the client sees it. Confined to the client's event loop.
final class JoinedRoom {
    let name: RoomName
    /// Tells this membership from a later one in the same room.
    let membershipID: UInt64
    /// Whether the app wants to be shown who is in the room.
    let asksPresence: Bool
    let state: SharedRoomState
    let messages: Feed
    let events: Feed
    var log: SequenceTracker
    /// Whether a frame for this room is for this membership: not before the answer to its subscribe.
    var isSubscribed = false
    /// The app's call that waits for the first answer to a subscribe.
    var joining: Waiter<Void>?
    var signals = SignalPace()
    /// Refusals in a row.
    var refusals = 0
    /// The parts of the history that readers need, to be requested when this client is in the room again: before that, the log
    /// may be another one.
    var waitingFetches: [(fetch: FeedBuffer.Fetch, feed: Feed)] = []
    private var senders = SenderCache()

    init(
        _ name: RoomName,
        membershipID: UInt64,
        asksPresence: Bool,
        log: SequenceTracker,
        state: SharedRoomState,
        messages: Feed,
        events: Feed
    ) {
        self.name = name
        self.membershipID = membershipID
        self.asksPresence = asksPresence
        self.log = log
        self.state = state
        self.messages = messages
        self.events = events
    }

    func subscribed(_ reply: SubscribeReply) {
        self.isSubscribed = true
        self.refusals = 0
        self.log.subscribed(reply)
        self.state.moved(to: self.log.position)
        if let presence = reply.presence { self.state.shows(members: presence) }
        self.joining?.answer(.success(()))
        self.joining = nil
    }

    func received(_ entry: StoredEntry) {
        if let seq = entry.seq, !self.advances(to: seq) { return }
        self.add(self.incoming(entry))
    }

    /// An entry of a kind that only newer brokers have: it is no gap.
    func received(unknownEntry seq: UInt64) { _ = self.advances(to: seq) }

    /// - Returns: whether the entry of the log is new.
    private func advances(to seq: UInt64) -> Bool {
        switch self.log.received(seq: seq) {
        case .repeated: return false
        case .new: break
        case .newAfterGap(let gap): self.add(.gap(gap))
        }
        self.state.moved(to: self.log.position)
        return true
    }

    func received(_ event: ClearingEvent) {
        let position = self.log.cleared(event)
        self.state.moved(to: position)
        self.add(.cleared(position, by: MessageSender(event.sender)))
    }

    func received(_ event: NoticeEvent) {
        self.tell(.notice(ModeratorNotice(event)))
    }

    func received(_ event: MuteEvent) {
        self.tell(.muteChanged(Mute(event)))
    }

    func received(_ list: ObservableMembers) {
        // the app has them in the order of joining, the broker lists the newest first
        let members = list.present.members.reversed().map { Member($0) }
        self.state.listed(members, count: list.present.count)
        self.tell(.members(members))
    }

    func received(_ event: PresenceEvent) {
        let member = Member(event.member)
        switch event.kind {
        case .joined:
            self.state.joined(member)
            self.tell(.joined(member))
        case .left:
            self.state.left(member)
            self.tell(.left(member))
        case .updated:
            self.state.updated(member)
            self.tell(.updated(member))
        }
    }

    func received(_ event: GapEvent) {
        let gap = self.log.lost(event)
        self.state.moved(to: self.log.position)
        if let gap { self.add(.gap(gap)) }
    }

    func end(_ error: RoomClientError?) {
        self.state.ended(error)
        self.messages.end()
        self.events.end()
        self.joining?.answer(.failure(error ?? .left))
        self.joining = nil
    }

    /// The entry in memory of its own.
    func incoming(_ entry: StoredEntry) -> IncomingEvent {
        let isHistory = self.log.isHistory(entry.seq)
        return IncomingEvent(entry, epoch: self.log.position?.epoch, isHistory: isHistory, senders: &self.senders)
    }

    private func add(_ event: IncomingEvent) {
        let epoch = self.log.position?.epoch
        self.messages.add(event, epoch: epoch)
        self.events.add(event, epoch: epoch)
    }

    /// Adds an event that has no place in the log.
    private func tell(_ event: IncomingEvent) {
        self.events.add(event, epoch: nil)
    }
}
