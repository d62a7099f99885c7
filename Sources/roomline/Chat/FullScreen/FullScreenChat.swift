import Foundation
import RoomClient

/// The chat on the full screen: its rooms, what is being typed, and the connection. Pure: events come in, orders go out.
///
/// `FullScreenSession` carries the orders out, and ``FullScreenView`` shows the state.
struct FullScreenChat: Sendable {
    /// The use of the keys.
    enum Mode: Equatable, Sendable {
        case typing
        case searching
        /// A paste of many lines waits for an answer.
        case asking(String)
        case reading(HelpPage)
    }

    struct Size: Equatable, Sendable {
        var columns: Int
        var rows: Int
    }

    var profile: MemberProfile
    /// The one that the broker took last.
    var acceptedProfile: MemberProfile
    var clientID: String?
    var rooms: [OpenRoom]
    /// The room that is shown.
    private(set) var shown = 0
    var mode = Mode.typing
    var editor = LineEditor()
    var search = MessageSearch()
    /// What the word before the cursor may become, until the next key.
    var candidates: [String] = []
    var connection = ConnectionView()
    var isLeaving = false
    var size: Size
    let timeZone: TimeZone
    /// How many messages to load of each room.
    private let history: Int
    private var tickets = 0
    var lastTypingSign: ContinuousClock.Instant?
    /// The newest message when the line was begun: what comes meanwhile does not shift what a moderator counted.
    var newestAtPrompt: UInt64?
    /// The act of a moderator that may still be asked about: until something else is entered or another room is shown.
    var pending: PendingAct?

    /// - Parameters:
    ///   - rooms: at least one.
    ///   - history: how many messages to load of each room.
    init(profile: MemberProfile, rooms: [String], history: Int, size: Size, timeZone: TimeZone) {
        (self.profile, self.acceptedProfile) = (profile, profile)
        self.rooms = rooms.map { OpenRoom(name: $0) }
        self.history = history
        self.size = size
        self.timeZone = timeZone
    }

    var room: OpenRoom {
        get { self.rooms[self.shown] }
        set { self.rooms[self.shown] = newValue }
    }

    var me: Person { Person(id: self.clientID ?? "", profile: self.profile) }
    var layout: ScreenLayout {
        let lines = self.mode == .typing ? self.editor.text.count { $0 == "\n" } + 1 : 1
        return ScreenLayout(size: self.size, hasMembers: self.room.showsMembers, inputLines: lines)
    }
    var unsettled: Int { self.rooms.reduce(0) { $0 + $1.log.unsettled } }
    var unsent: UnsentMessages {
        let messages = self.rooms.flatMap { room in
            room.log.outgoing.filter { $0.id == nil }.map { (ticket: $0.ticket, text: $0.text, room: room.name) }
        }
        return UnsentMessages(
            messages.sorted { $0.ticket < $1.ticket }
                .map { self.rooms.count == 1 ? $0.text : "\($0.room): \($0.text)" }
        )
    }

    func index(of room: String) -> Int? { self.rooms.firstIndex { $0.name == room } }

    /// A remark in the room that is shown.
    mutating func remark(_ text: String, _ now: ChatTime) {
        self.room.remark(text, at: now.date)
        self.room.anchor = nil
    }

    /// A remark in this room, also where another one is shown meanwhile.
    mutating func remark(_ text: String, in name: String, _ now: ChatTime) {
        guard let index = self.index(of: name) else { return self.remark("\(name): \(text)", now) }
        guard index != self.shown else { return self.remark(text, now) }
        self.rooms[index].remark(text, at: now.date)
    }

    mutating func nextTicket() -> Int {
        self.tickets += 1
        return self.tickets
    }

    // MARK: Rooms

    mutating func show(_ index: Int) {
        guard self.rooms.indices.contains(index) else { return }
        let isOther = index != self.shown
        if isOther { self.room.unread.forget() }
        self.shown = index
        self.room.unread.seen()
        if isOther {
            // What was asked, and what was counted, was about another room.
            self.pending = nil
            self.newestAtPrompt = self.editor.isEmpty ? nil : self.room.log.newestSeq
        }
        self.mode = self.mode == .searching ? .typing : self.mode
    }

    /// The next one with something new, one with a mention first.
    mutating func showUnread() {
        let order = (1...self.rooms.count).map { (self.shown + $0) % self.rooms.count }
        let index =
            order.first { self.rooms[$0].unread.mentions > 0 } ?? order.first { self.rooms[$0].unread.count > 0 }
        if let index { self.show(index) }
    }

    mutating func open(_ name: String) -> [ChatAction] {
        if let index = self.index(of: name) {
            self.show(index)
            guard case .ended = self.room.standing else { return [] }
            self.room.standing = .joining
            self.room.log.restart()
            // The entries have other numbers from now on.
            self.followEnd()
        } else {
            self.rooms.append(OpenRoom(name: name))
            self.show(self.rooms.count - 1)
        }
        return [.join(name)]
    }

    mutating func close(_ name: String?, _ now: ChatTime) -> [ChatAction] {
        let name = name ?? self.room.name
        guard let index = self.index(of: name) else {
            self.remark("you are not in \(name)", now)
            return []
        }
        guard self.rooms.count > 1 else {
            self.remark("this is your only room; /quit leaves the chat", now)
            return []
        }
        guard self.rooms[index].log.unsettled == 0 else {
            self.remark("\(name) still has messages that are not acknowledged", now)
            return []
        }
        self.rooms.remove(at: index)
        if self.shown > index || self.shown == self.rooms.count { self.shown -= 1 }
        self.show(self.shown)
        return [.leave(name)]
    }

    mutating func joined(_ name: String, at position: RoomPosition?, showsMembers: Bool) -> [ChatAction] {
        // The user has left it before it was joined.
        guard let index = self.index(of: name) else { return [.leave(name)] }
        self.rooms[index].standing = .joined
        self.rooms[index].showsMembers = showsMembers
        self.rooms[index].log.joined(at: position)
        return self.loadOlder(index, self.history)
    }

    /// The room is not, or no longer, one of the user's.
    mutating func ended(_ name: String, _ reason: String, _ now: ChatTime) {
        guard let index = self.index(of: name) else { return }
        if self.pending?.input.room == name { self.pending = nil }
        self.rooms[index].standing = .ended(reason)
        self.rooms[index].people = RoomPeople()
        self.rooms[index].remark("\(reason); /join \(self.rooms[index].shownName) tries again", at: now.date)
    }

    // MARK: History

    mutating func loadOlder(_ index: Int, _ count: Int) -> [ChatAction] {
        guard count > 0, case .upTo(let position) = self.rooms[index].log.older else { return [] }
        self.rooms[index].log.older = .loading
        return [.loadOlder(room: self.rooms[index].name, upTo: position, count: count)]
    }

    mutating func loaded(_ name: String, _ messages: [(message: ChatEntry.Message, date: Date)], asked: Int) {
        guard let index = self.index(of: name) else { return }
        for item in messages { self.rooms[index].people.wrote(item.message.sender, seq: item.message.seq) }
        self.rooms[index].log.prepend(messages, asked: asked)
    }

    /// - Parameter isOff: the channel keeps no history.
    mutating func notLoaded(_ name: String, upTo: RoomPosition, isOff: Bool, _ reason: String, _ now: ChatTime) {
        guard let index = self.index(of: name) else { return }
        self.rooms[index].log.older = isOff ? .off : .upTo(upTo)
        if !isOff { self.rooms[index].remark("the history cannot be had: \(reason)", at: now.date) }
    }

    // MARK: The system

    mutating func resized(_ size: Size) {
        self.size = size
    }

    /// Time has passed.
    mutating func ticked(_ now: ChatTime) -> [ChatAction] {
        self.connection.ticked(now.instant)
        for index in self.rooms.indices { self.rooms[index].people.typing.expire(now: now.instant) }
        return self.endIfSettled()
    }

    /// - Returns: the end, if nothing is on its way or the user has asked twice.
    mutating func leave() -> [ChatAction] {
        if self.isLeaving { return [.end] }
        self.isLeaving = true
        return self.endIfSettled()
    }

    func endIfSettled() -> [ChatAction] {
        self.isLeaving && self.unsettled == 0 ? [.end] : []
    }
}
