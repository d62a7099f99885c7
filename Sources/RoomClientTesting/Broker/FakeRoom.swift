import NIOCore
import RoomModel

/// The log and the members of one room. Pure.
struct FakeRoom {
    struct Entry {
        let seq: UInt64
        let stamp: Stamp
        let message: ByteBuffer
        let messageID: UniqueID?
    }

    /// The resumption and the history that follow the answer to a subscribe.
    struct Resumption {
        /// `nil` where the client did not ask to go on.
        var recovered: Bool?
        /// The missing places and the reason; an empty range says that the log is another one.
        var gap: (from: UInt64, through: UInt64, reason: String)?
        var missed: [Entry] = []
        var history: [Entry] = []
    }

    let epoch: Epoch
    private(set) var entries: [Entry] = []
    private(set) var lastSeq: UInt64 = 0
    /// The ephemeral messages of clients, without those of fake members.
    var ephemerals: [ByteBuffer] = []
    /// In the order of joining.
    private(set) var members: [ClientID] = []
    /// The subscribers that ask to be shown the members.
    var asking: Set<ClientID> = []

    mutating func forget() {
        self.entries = []
    }

    /// - Returns: whether it was not in the room.
    mutating func enter(_ member: ClientID) -> Bool {
        guard !self.members.contains(member) else { return false }
        self.members.append(member)
        return true
    }

    /// - Returns: whether it was in the room.
    mutating func leave(_ member: ClientID) -> Bool {
        guard let index = self.members.firstIndex(of: member) else { return false }
        self.members.remove(at: index)
        self.asking.remove(member)
        return true
    }

    mutating func store(_ message: ByteBuffer, stamp: Stamp, messageID: UniqueID?) -> Entry {
        self.lastSeq += 1
        let entry = Entry(seq: self.lastSeq, stamp: stamp, message: message, messageID: messageID)
        self.entries.append(entry)
        return entry
    }

    func resumption(_ request: SubscribeRequest) -> Resumption {
        guard let since = request.since else {
            return Resumption(history: self.entries.suffix(max(0, min(request.historyCount, 100))))
        }
        guard since.epoch == self.epoch, since.seq <= self.lastSeq else {
            return Resumption(recovered: false, gap: (self.lastSeq + 1, self.lastSeq, "epoch"))
        }
        let missed = self.entries.filter { $0.seq > since.seq }
        let first = missed.first?.seq ?? self.lastSeq + 1
        guard first > since.seq + 1 else { return Resumption(recovered: true, missed: missed) }
        return Resumption(recovered: false, gap: (since.seq + 1, first - 1, "trimmed"), missed: missed)
    }

    func page(_ request: HistoryRequest) -> (entries: [Entry], hasMore: Bool) {
        let limit = max(1, min(request.limit ?? 100, 1_000))
        switch request.anchor {
        case .newest: return (self.entries.suffix(limit), self.entries.count > limit)
        case .before(let seq):
            let older = self.entries.filter { $0.seq < seq }
            return (older.suffix(limit), older.count > limit)
        case .after(let seq):
            let newer = self.entries.filter { $0.seq > seq }
            return (Array(newer.prefix(limit)), newer.count > limit)
        }
    }
}
