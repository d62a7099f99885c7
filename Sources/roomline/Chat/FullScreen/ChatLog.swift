import Foundation
import RoomClient

/// The entries of one room, in order, and the user's own messages on their way. Pure.
struct ChatLog: Sendable {
    /// The knowledge about the messages before the first one here.
    enum Older: Equatable, Sendable {
        /// Nothing: nobody has asked.
        case unknown
        /// There are some, up to here.
        case upTo(RoomPosition)
        /// Asked for.
        case loading
        case none
        /// The channel keeps none.
        case off
    }

    private static let mostEntries = 5_000

    private(set) var entries: [ChatEntry] = []
    private(set) var outgoing: [OutgoingMessage] = []
    var older = Older.unknown
    /// The messages that are here: one can come by the feed and by the history.
    private var ids: Set<UUID> = []
    private var epoch = ""

    /// The number of the next entry at the end.
    private var nextNumber: Int { (self.entries.last?.number ?? -1) + 1 }

    // MARK: New entries

    /// - Returns: the number of its entry; `nil` where it is there already.
    mutating func append(_ message: ChatEntry.Message, at date: Date) -> Int? {
        guard self.ids.insert(message.id).inserted else { return nil }
        if message.isOwn { self.settleCopy(of: message) }
        return self.append(.message(message), at: date)
    }

    mutating func remark(_ spans: [StyledLine.Span], at date: Date) {
        _ = self.append(.remark(spans), at: date)
    }

    private mutating func append(_ content: ChatEntry.Content, at date: Date) -> Int {
        let number = self.nextNumber
        self.entries.append(ChatEntry(number: number, date: date, content: content))
        if self.entries.count > Self.mostEntries + Self.mostEntries / 10 { self.dropOldest() }
        return number
    }

    private mutating func dropOldest() {
        let dropped = self.entries.prefix(self.entries.count - Self.mostEntries)
        for entry in dropped { if let id = entry.message?.id { self.ids.remove(id) } }
        self.entries.removeFirst(dropped.count)
        let seq = self.entries.lazy.compactMap { $0.message?.seq }.first
        if let seq, seq > 1, self.older != .off { self.older = .upTo(RoomPosition(epoch: self.epoch, seq: seq - 1)) }
    }

    /// Older messages from the history, the oldest first.
    ///
    /// - Parameter asked: so many were asked for.
    mutating func prepend(_ messages: [(message: ChatEntry.Message, date: Date)], asked: Int) {
        let new = messages.filter { self.ids.insert($0.message.id).inserted }
        let first = self.entries.first?.number ?? 0
        let entries = new.enumerated().map { index, item in
            ChatEntry(number: first - new.count + index, date: item.date, content: .message(item.message))
        }
        self.entries.insert(contentsOf: entries, at: 0)
        let seq = messages.first?.message.seq ?? 1
        let isAll = messages.count < asked || seq <= 1
        self.older = isAll ? .none : .upTo(RoomPosition(epoch: self.epoch, seq: seq - 1))
    }

    /// The room is joined, and stands there.
    mutating func joined(at position: RoomPosition?) {
        self.epoch = position?.epoch ?? ""
        self.older = position.map { $0.seq > 0 ? .upTo($0) : .none } ?? .off
    }

    // MARK: The user's own

    mutating func sent(_ message: OutgoingMessage) {
        self.outgoing.append(message)
    }

    var unsettled: Int { self.outgoing.count { $0.id == nil } }

    mutating func acknowledged(_ ticket: Int, id: UUID) {
        guard let index = self.outgoing.firstIndex(where: { $0.ticket == ticket }) else { return }
        if self.ids.contains(id) { self.outgoing.remove(at: index) } else { self.outgoing[index].id = id }
    }

    /// - Returns: the message that will not be stored.
    mutating func refused(_ ticket: Int) -> OutgoingMessage? {
        guard let index = self.outgoing.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return self.outgoing.remove(at: index)
    }

    /// The room may bring a message before its acknowledgement has been read: then the text tells which one it is.
    private mutating func settleCopy(of message: ChatEntry.Message) {
        let index =
            self.outgoing.firstIndex { $0.id == message.id }
            ?? self.outgoing.firstIndex { $0.id == nil && $0.body == message.body }
        if let index { self.outgoing.remove(at: index) }
    }

    // MARK: Moderation

    /// - Returns: the redacted message; `nil` where it is not here.
    mutating func redacted(_ id: UUID, _ text: String) -> ChatEntry? {
        guard let index = self.entries.firstIndex(where: { $0.message?.id == id }) else { return nil }
        guard case .message(var message) = self.entries[index].content else { return nil }
        message.redaction = text
        self.entries[index].content = .message(message)
        return self.entries[index]
    }

    mutating func cleared(_ position: RoomPosition) {
        self.entries = []
        self.ids = []
        self.epoch = position.epoch
        self.older = .none
    }

    /// The room is joined anew: the history brings everything again.
    mutating func restart() {
        self.entries = []
        self.ids = []
        self.older = .unknown
    }

    var newestSeq: UInt64? { self.entries.lazy.compactMap { $0.message?.seq }.max() }

    /// A message that can be taken away, counted back from this one, which is 1.
    func redactable(back: Int, from newest: UInt64) -> ModeratorInput.Redacted? {
        let messages: [(seq: UInt64, message: ChatEntry.Message)] = self.entries.compactMap { entry in
            guard let message = entry.message, message.redaction == nil, let seq = message.seq, seq <= newest else {
                return nil
            }
            return (seq, message)
        }
        let counted = messages.sorted { $0.seq < $1.seq }
        guard back <= counted.count else { return nil }
        let (seq, message) = counted[counted.count - back]
        let text = message.body.lines.joined(separator: " ")
        return ModeratorInput.Redacted(id: message.id, seq: seq, sender: message.sender, text: text)
    }
}
