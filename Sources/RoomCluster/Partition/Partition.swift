package import RoomCore
package import RoomModel

/// The rooms of one partition, as its records make them: the same records in the same order make the same rooms, in every
/// process. It reads no clock and draws no random bits: time is the log's, ids and epochs follow from a record's place.
///
/// A record is one turn of each of its rooms: they are given all commands of the record in order, and then advance in the order of
/// their first command until nothing waits. What the store would say is known: whatever is in the log is committed.
package struct Partition {
    package internal(set) var accepted = AcceptedRecords()
    var rooms: [RoomKey: PartitionRoom] = [:]
    /// How many rooms of each channel have members.
    private var held: [ChannelID: Int] = [:]
    var lingering = LingeringMembers()
    var empty: RoomsWithoutMembers
    private var keys: PartitionKeys
    /// The time of the newest id of the rooms that were forgotten: a room that begins anew goes on behind it.
    var forgottenIDs: Int64 = 0
    /// In the order of the redactions and clears.
    package internal(set) var erasures: [TextErasure] = []
    let limits: BrokerLimits

    /// What a record has done.
    package struct Applied: Equatable, Sendable {
        package var outcome: AcceptedRecords.Outcome
        /// Of several rooms, and of a room several, in this order.
        package var batches: [Batch] = []
        /// The rooms of which the record has changed which log is stored, or how much of it. No batch need tell of that: a room
        /// without members has none.
        package var logs: [StoredLog] = []
        /// The messages that the record has taken out of a room's log.
        package var pruned: PrunedLog?
        /// What has become of the import that the record was.
        package var imported: ImportRecord.Outcome?
        /// What it has made of the room's log.
        package var importedLog: ImportedLog?
    }

    package struct Batch: Equatable, Sendable {
        package var room: RoomKey
        package var view: RoomView
        package var batch: RoomBatch
    }

    /// What is stored of a room. What was stored of it in another epoch is no more.
    package struct StoredLog: Equatable, Sendable {
        package var room: RoomKey
        package var epoch: Epoch
        /// How much of it is kept; `nil`: nothing.
        package var history: HistorySettings?
    }

    /// Messages that are not stored any more, nor are older ones.
    package struct PrunedLog: Equatable, Sendable {
        package var log: StoredLog
        package var seq: UInt64
    }

    /// Messages that were imported: they make a log, or go on with another one, which has a new epoch then.
    package struct ImportedLog: Equatable, Sendable {
        package var log: StoredLog
        /// That of the log that goes on; `nil`: it begins.
        package var epochBefore: Epoch?
        package var entries: [LogEntry]
    }

    /// - Parameter limits: have to be the same on all nodes. Of what is forgotten, `publishKeysTotal` and `dormantRooms` are those of the
    ///   partition.
    init(limits: BrokerLimits) {
        var limits = limits
        // what waits is bounded by the size of a record, and was checked before it was appended
        limits.backlogPerRoom = .max
        self.limits = limits
        self.empty = RoomsWithoutMembers(limit: limits.dormantRooms)
        self.keys = PartitionKeys(limit: limits.publishKeysTotal)
    }

    subscript(room: RoomKey) -> Room? { self.rooms[room]?.room }

    var roomKeys: some Collection<RoomKey> { self.rooms.keys }

    /// The bytes of memory that the publish keys of its rooms take, about.
    package var keyBytes: Int { self.keys.bytes }

    /// Something happens with time alone: a node appends a tick if the log has no records.
    var waitsForTime: Bool { !self.lingering.isEmpty }

    /// - Parameters:
    ///   - place: behind that of the record before.
    ///   - time: when the log took it, in Unix milliseconds.
    mutating func apply(_ record: PartitionRecord, at place: LogOffset, time: Int64) -> Applied {
        let outcome = self.accepted.take(record, at: place, time: time)
        guard outcome != .ignored else { return Applied(outcome: outcome) }
        // what is over at this time was over before the record
        var entries = self.lingering.due(at: self.accepted.time.steadyMilliseconds)
            .filter { self.lingers($0) }
            .compactMap { self.entry(.graceEnded($0.client), in: $0.room) }
        switch (outcome, record.content) {
        case (.ends(let node), _): entries += self.departures(of: node)
        case (_, .commands(let commands)): entries += commands
        case (_, .erased(let id)): self.erasures.removeAll { $0.id == id }
        case (_, .tick), (_, .gone), (_, .pruned), (_, .imported): break
        }
        var applied = Applied(outcome: outcome)
        if case .pruned(let room, let place) = record.content { applied.pruned = self.pruned(room, through: place) }
        if case .imported(let part) = record.content { self.take(part, at: place, into: &applied) }
        self.take(entries, at: place, into: &applied)
        for index in applied.batches.indices where applied.batches[index].batch.takesBack {
            self.addErasures(of: applied.batches[index], at: place)
        }
        self.forget()
        return applied
    }

    /// `nil` where the room has no such messages any more.
    private mutating func pruned(_ key: RoomKey, through place: Position) -> PrunedLog? {
        guard let room = self.rooms[key], room.room.epoch == place.epoch, room.storedLog.history != nil else {
            return nil
        }
        let seq = min(place.seq, room.room.lastSeq)
        self.rooms[key]?.pruned(through: Position(epoch: place.epoch, seq: seq))
        return PrunedLog(log: room.storedLog, seq: seq)
    }

    private mutating func take(_ part: ImportRecord, at place: LogOffset, into applied: inout Applied) {
        let log = self.rooms[part.room]?.storedLog
        self.renew(part.room, part.settings, at: place)
        applied.batches += self.advance(part.room, at: place)
        guard let room = self.rooms[part.room] else { return }
        if let refusal = room.refusal(of: part) {
            applied.imported = refusal
            if room.storedLog != log { applied.logs.append(room.storedLog) }
            return
        }
        let epochBefore = part.after == nil ? nil : room.room.epoch
        let epoch = Self.epoch(of: part.room, at: place)
        self.rooms[part.room]?.take(part, epoch: epoch)
        applied.batches += self.advance(part.room, at: place, always: true)
        guard let now = self.rooms[part.room] else { return }
        applied.imported = .stored(Position(epoch: epoch, seq: now.room.lastSeq))
        applied.importedLog = ImportedLog(log: now.storedLog, epochBefore: epochBefore, entries: part.entries)
    }

    private mutating func addErasures(of applied: Batch, at place: LogOffset) {
        let (room, batch) = (applied.room, applied.batch)
        if let clear = batch.clear {
            // what waits for the room is older, so the clear has it erased as well
            self.erasures.removeAll { $0.room == room }
            self.erasures.append(TextErasure(room: room, seq: 0, id: clear, text: nil, place: place))
        }
        for tombstone in batch.tombstones where tombstone.text != nil {
            self.erasures.append(
                TextErasure(room: room, seq: tombstone.seq, id: tombstone.id, text: tombstone.text, place: place)
            )
        }
        self.erasures.removeFirst(max(0, self.erasures.count - TextErasure.limit))
    }

    private mutating func take(
        _ entries: [PartitionRecord.Command],
        at place: LogOffset,
        into applied: inout Applied
    ) {
        var (order, known): ([(room: RoomKey, log: StoredLog?)], Set<RoomKey>) = ([], [])
        for entry in entries {
            if known.insert(entry.room).inserted { order.append((entry.room, self.rooms[entry.room]?.storedLog)) }
            self.renew(entry.room, entry.settings, at: place)
            switch entry.command {
            case .settings(let settings, _): self.renew(entry.room, settings, at: place)
            case .linger(let client, _, _):
                let grace = self.rooms[entry.room]?.room.settings.longestGrace ?? 0
                let deadline = self.accepted.time.steadyMilliseconds + grace
                self.lingering.began(LingeringMembers.Member(room: entry.room, client: client), until: deadline)
                self.rooms[entry.room]?.enqueue(entry.command)
            default: self.rooms[entry.room]?.enqueue(entry.command)
            }
        }
        for (room, log) in order {
            applied.batches += self.advance(room, at: place)
            if let now = self.rooms[room]?.storedLog, now != log { applied.logs.append(now) }
        }
    }

    /// The room begins, or has these settings from now on, unless it has newer ones.
    private mutating func renew(_ key: RoomKey, _ settings: RoomSettings, at place: LogOffset) {
        if let index = self.rooms.index(forKey: key) {
            guard settings.version > self.rooms.values[index].room.settings.version else { return }
            self.rooms.values[index].enqueue(.settings(settings, epoch: Self.epoch(of: key, at: place)))
        } else {
            let epoch = Self.epoch(of: key, at: place)
            let room = Room(key: key, settings: settings, epoch: epoch, limits: self.limits)
            self.rooms[key] = PartitionRoom(room, idsAfter: self.forgottenIDs)
        }
    }

    private static func epoch(of key: RoomKey, at place: LogOffset) -> Epoch {
        var seeds = PlaceSeeds(key, place)
        return Epoch(rawValue: seeds.next())
    }

    /// A command that the partition itself gives to one of its rooms.
    private func entry(_ command: RoomCommand, in key: RoomKey) -> PartitionRecord.Command? {
        self.rooms[key].map { PartitionRecord.Command(command, in: key, $0.room.settings) }
    }

    /// - Parameter always: a batch is made even if nothing waits.
    private mutating func advance(_ key: RoomKey, at place: LogOffset, always: Bool = false) -> [Batch] {
        guard let index = self.rooms.index(forKey: key) else { return [] }
        let held = self.held[key.channel, default: 0]
        let wasHeld = self.rooms.values[index].isHeld
        let (keyBytes, newestKey) = self.rooms.values[index].keyCounts
        let hasPlace = wasHeld || held < self.rooms.values[index].room.settings.roomLimit
        let batches = self.rooms.values[index].advance(
            at: place,
            self.accepted.time,
            hasPlace: hasPlace,
            always: always
        )
        let isHeld = self.rooms.values[index].isHeld
        if isHeld != wasHeld { self.count(isHeld ? 1 : -1, in: key.channel) }
        self.empty.used(key, hasMembers: isHeld)
        let keys = self.rooms.values[index].keyCounts
        self.keys.changed(key, by: keys.bytes - keyBytes, newest: keys.newest == newestKey ? nil : keys.newest)
        return batches
    }

    private mutating func count(_ change: Int, in channel: ChannelID) {
        let held = self.held[channel, default: 0] + change
        self.held[channel] = held == 0 ? nil : held
    }

    // MARK: Snapshots

    /// A room of a snapshot.
    mutating func add(_ room: PartitionRoom) {
        self.rooms[room.room.key] = room
        if room.isHeld { self.count(1, in: room.room.key.channel) }
    }

    /// All rooms of a snapshot are there.
    mutating func countKeys() {
        var seconds: [UInt32: [RoomKey]] = [:]
        for (key, room) in self.rooms {
            self.keys.changed(key, by: room.keyCounts.bytes, newest: nil)
            for second in room.room.keys.seconds { seconds[second, default: []].append(key) }
        }
        for (second, rooms) in seconds.sorted(by: { $0.key < $1.key }) {
            for room in rooms { self.keys.changed(room, by: 0, newest: second) }
        }
    }

    // MARK: What is forgotten

    /// Forgets what there is no place for, or what nobody can ask for any more.
    private mutating func forget() {
        let now = self.accepted.time
        while let (second, rooms) = self.keys.nextToForget(at: now.steadySecond) {
            for room in rooms { self.forgetKeys(of: room) { $0.forgetKeys(through: second) } }
        }
        while let oldest = self.empty.popOldest() {
            self.forgetKeys(of: oldest) { $0.forgetAllButHistory() }
            self.empty.isBare(oldest, since: now.steadyMilliseconds)
            self.forgetIfNotNeeded(oldest, since: now.steadyMilliseconds)
        }
        for _ in 0..<RoomsWithoutMembers.lookedAt {
            guard let (room, since) = self.empty.popBare() else { return }
            self.empty.isBare(room, since: since)
            self.forgetIfNotNeeded(room, since: since)
        }
    }

    private mutating func forgetKeys(of key: RoomKey, _ forget: (inout PartitionRoom) -> Void) {
        guard let index = self.rooms.index(forKey: key) else { return }
        let before = self.rooms.values[index].keyCounts.bytes
        forget(&self.rooms.values[index])
        self.keys.changed(key, by: self.rooms.values[index].keyCounts.bytes - before, newest: nil)
    }

    private mutating func forgetIfNotNeeded(_ key: RoomKey, since: Int64) {
        guard let room = self.rooms[key], !room.isNeeded(since: since, now: self.accepted.time.steadyMilliseconds)
        else { return }
        self.forgottenIDs = max(self.forgottenIDs, room.ids.milliseconds)
        self.rooms[key] = nil
        self.empty.remove(key)
    }

    /// It has not come back, or left, since it was said to linger.
    func lingers(_ member: LingeringMembers.Member) -> Bool {
        self.rooms[member.room]?.room.members[member.client].map { $0.connection == nil } ?? false
    }

    /// The members of a node that is gone linger, as if it had said so. The rooms are in the order of the bytes of their names.
    private func departures(of node: NodeNumber) -> [PartitionRecord.Command] {
        let rooms = self.rooms.values.filter { $0.room.subscribers.total > 0 }.map(\.room)
        return rooms.sorted { $0.key.precedes($1.key) }.flatMap { room in
            room.members.senders.compactMap { sender in
                guard let client = sender.clientID, let connection = room.members[client]?.connection,
                    connection.node == node
                else { return nil }
                return PartitionRecord.Command(.linger(client, connection), in: room.key, room.settings)
            }
        }
    }
}
