import NIOCore
import RoomCore
import RoomModel

/// The sessions of one shard that are in their grace period, the one that has lingered longest first.
///
/// Bounded: a session counts as one entry, each of its rooms as one more, and so do 512 bytes of its data. Where there are
/// too many, the session that has lingered longest ends: of the same address, if that address has more than its part of the
/// entries.
struct LingeringSessions {
    private struct Entry {
        let token: String
        let session: ResumedSession

        var count: Int {
            1 + self.session.rooms.count + (self.session.clientData?.readableBytes ?? 0)
                / LingeringSessions.bytesPerEntry
        }
    }

    /// The entries and the sessions of one address.
    private struct Holdings {
        var entries = 0
        var sessions = InsertionOrderedDictionary<SessionID, Void>()
    }

    private static let bytesPerEntry = 512
    private static let endedAtOnce = 16

    private var sessions = InsertionOrderedDictionary<SessionID, Entry>()
    private var ids: [String: SessionID] = [:]
    private var holdings: [IPAddress: Holdings] = [:]
    private(set) var entries = 0
    private var limit: Int
    /// One address may hold so much of the entries; this machine itself is exempt, as everybody may come by its proxy.
    private var limitOfAddress: Int { self.limit / 4 }

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { self.sessions.count }

    func contains(_ token: String) -> Bool { self.ids[token] != nil }

    /// The session of a token, which stays.
    func session(of token: String) -> ResumedSession? { self.ids[token].flatMap { self.sessions[$0]?.session } }

    /// Takes a session in.
    ///
    /// - Returns: those that end for it.
    mutating func add(_ session: ResumedSession, token: String) -> [ResumedSession] {
        var ended: [ResumedSession] = []
        if let earlier = self.remove(session.id) { ended.append(earlier) }
        let entry = Entry(token: token, session: session)
        self.sessions[session.id] = entry
        self.ids[token] = session.id
        self.entries += entry.count
        if let network = Self.network(of: session) {
            self.holdings[network, default: Holdings()].sessions[session.id] = ()
            self.holdings[network, default: Holdings()].entries += entry.count
            // in its place: a copy of what the address has would be copied for each that goes
            while (self.holdings[network]?.entries ?? 0) > self.limitOfAddress,
                let oldest = self.holdings[network]?.sessions.first?.key,
                let session = self.remove(oldest)
            { ended.append(session) }
        }
        while self.entries > self.limit, let oldest = self.sessions.first, let session = self.remove(oldest.key) {
            ended.append(session)
        }
        return ended
    }

    /// From now on there may be so many entries.
    ///
    /// - Returns: the sessions that end for it: some of them, where there are many.
    mutating func limit(to entries: Int) -> [ResumedSession] {
        self.limit = entries
        var ended: [ResumedSession] = []
        while self.entries > entries, ended.count < Self.endedAtOnce, let oldest = self.sessions.first,
            let session = self.remove(oldest.key)
        { ended.append(session) }
        return ended
    }

    mutating func remove(_ token: String) -> ResumedSession? { self.ids[token].flatMap { self.remove($0) } }

    mutating func remove(_ id: SessionID) -> ResumedSession? {
        guard let entry = self.sessions.removeValue(forKey: id) else { return nil }
        self.ids[entry.token] = nil
        self.entries -= entry.count
        if let network = Self.network(of: entry.session) {
            self.holdings[network]?.sessions[id] = nil
            self.holdings[network]?.entries -= entry.count
            if self.holdings[network]?.sessions.isEmpty ?? false { self.holdings[network] = nil }
        }
        return entry.session
    }

    /// How far a look at all of them has come: from the newest to the oldest, so that it misses none where gaps between
    /// them are closed meanwhile.
    struct Sweep {
        fileprivate var left: Int
        var isDone: Bool { self.left == 0 }
    }

    var sweep: Sweep { Sweep(left: self.sessions.slotCount) }

    /// Looks at so many more, and takes out those of which this holds.
    mutating func removeSome(
        of sweep: inout Sweep,
        _ count: Int,
        where isToEnd: (ResumedSession) -> Bool
    ) -> [ResumedSession] {
        let end = min(sweep.left, self.sessions.slotCount)
        sweep.left = max(0, end - count)
        let ended = (sweep.left..<end).reversed().compactMap { self.sessions.value(atSlot: $0)?.session }.filter(
            isToEnd
        )
        for session in ended { _ = self.remove(session.id) }
        return ended
    }

    private static func network(of session: ResumedSession) -> IPAddress? {
        session.address.flatMap { $0.isLoopback ? nil : $0.network }
    }
}

/// Which session it is, whatever connection it is on.
struct SessionID: Hashable {
    let channel: ChannelID
    let client: ClientID
}

extension ResumedSession {
    var id: SessionID { SessionID(channel: self.channel, client: self.clientID) }
}
