import DequeModule
import RoomModel

/// The state of a room as bytes: all that decides what becomes of the next commands. Nothing waits in it, and nothing is under way.
///
///     room | isOpen | settings | rules | epoch | seq | redactions | cleared epochs | members | keys | slow mode
///
/// Not in it: what each node has for itself, as the oldest message that its store has.
extension Room {
    package func write(to writer: inout RecordWriter) {
        writer.write(self.key)
        writer.write(flags: self.phase == .ready)
        writer.write(self.settings)
        writer.write(self.rules)
        writer.write(self.epoch)
        writer.write(self.lastSeq)
        writer.write(self.redactions.unknownThrough)
        writer.write(count: self.redactions.seqs.count)
        for seq in self.redactions.seqs { writer.write(seq) }
        writer.write(count: self.clearedEpochs.count)
        for epoch in self.clearedEpochs { writer.write(epoch) }
        self.members.write(to: &writer)
        self.keys.write(to: &writer)
        self.slowMode.write(to: &writer)
    }

    package init(from reader: inout RecordReader, limits: BrokerLimits) throws(RecordError) {
        let key = try reader.read("room") as RoomKey
        let isOpen = try reader.flags("flags of a room", 1)[0]
        let (settings, rules): (RoomSettings, RoomRules) = (try reader.read("settings"), try reader.read("rules"))
        let epoch: Epoch = try reader.read("epoch of a room")
        self.init(key: key, settings: settings, epoch: epoch, limits: limits)
        self.phase = isOpen ? .ready : .closed
        guard isOpen || self.hasHistory else {
            throw reader.error("flags of a room", .invalid("it has no log to open"))
        }
        if isOpen, self.hasHistory { self.log = LogID(of: key, in: epoch) }
        self.rules = rules
        // so many messages no room gets
        self.lastSeq = UInt64(try reader.count("seq of a room", of: 1 << 62))
        self.redactions = try RedactionIndex(from: &reader, through: self.lastSeq)
        for _ in 0..<(try reader.count("number of cleared epochs", of: UInt64(Self.clearedEpochLimit))) {
            self.clearedEpochs.append(try reader.read("cleared epoch"))
        }
        self.members = try RoomMembers(from: &reader)
        for (_, member) in self.members.entries {
            guard let connection = member.connection else { continue }
            self.subscribers.add(connection, member.wireFormat, asks: member.asksPresence)
        }
        self.keys = try PublishKeys(from: &reader, capacity: settings.publishKeys)
        self.slowMode = try SlowMode(from: &reader)
    }
}

extension RedactionIndex {
    fileprivate init(from reader: inout RecordReader, through newest: UInt64) throws(RecordError) {
        let unknown = try reader.number("redactions")
        var (seqs, last): ([UInt64], UInt64) = ([], unknown)
        for _ in 0..<(try reader.count("number of redactions", of: UInt64(Self.capacity))) {
            let seq = try reader.number("redaction")
            guard last < seq else { throw reader.error("redaction", .invalid("not in ascending order")) }
            seqs.append(seq)
            last = seq
        }
        guard last <= newest else { throw reader.error("redaction", .invalid("behind the newest message")) }
        self.init(unknownThrough: unknown, seqs: seqs)
    }
}

extension RoomMembers {
    fileprivate func write(to writer: inout RecordWriter) {
        writer.write(count: self.count)
        for (client, member) in self.entries {
            writer.write(flags: member.connection != nil, member.asksPresence)
            writer.write(client)
            writer.write(member.sender)
            writer.write(member.wireFormat)
            writer.write(member.resumes)
            if let connection = member.connection { writer.write(connection) }
        }
    }

    fileprivate init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        for _ in 0..<(try reader.count("number of members", of: UInt64(reader.left))) {
            let (isConnected, asks) = try reader.flags("flags of a member", 2).two
            let client: ClientID = try reader.read("client of a member")
            let (sender, format): (Sender, WireFormat) = (try reader.read("sender"), try reader.read("wire format"))
            let resumes: UInt32 = try reader.read("resumes of a member")
            let connection: ConnectionRef? = isConnected ? try reader.read("connection") : nil
            guard self[client] == nil else { throw reader.error("member", .invalid("the same client twice")) }
            let member = Room.Member(
                sender: sender,
                connection: connection,
                wireFormat: format,
                asksPresence: asks,
                resumes: resumes
            )
            self.set(member, for: client)
        }
    }
}

/// Each sender stands before the first of its keys. Those that the keys share are shared when they are read again, so that they
/// take as many bytes, by which keys are forgotten.
extension PublishKeys {
    fileprivate func write(to writer: inout RecordWriter) {
        writer.write(count: self.count)
        var senders: [UInt32: Int] = [:]
        for entry in self.entries {
            let sender = senders[entry.sender] ?? senders.count
            writer.write(count: sender)
            if sender == senders.count {
                senders[entry.sender] = sender
                writer.write(self.sender(at: entry.sender))
            }
            writer.write(entry.id)
            writer.write(bits: entry.digest)
            writer.write(entry.stamp)
            writer.write(entry.seq)
            writer.write(entry.second)
        }
    }

    fileprivate init(from reader: inout RecordReader, capacity: Int) throws(RecordError) {
        self.init(capacity: capacity)
        var (senders, last): ([Sender], UInt64) = ([], 0)
        for _ in 0..<(try reader.count("number of keys", of: UInt64(reader.left))) {
            let index = try reader.count("sender of a key", of: UInt64(senders.count))
            if index == senders.count { senders.append(try reader.read("sender")) }
            let key = PublishKey(id: try reader.id("key"), digest: try reader.bits("digest of a key"))
            let stamp = Stamp(id: try reader.id("id of a key"), sender: senders[index])
            let seq = try reader.number("seq of a key")
            let second = try reader.count("second of a key", of: UInt64(UInt32.max))
            guard last <= UInt64(second) else {
                throw reader.error("second of a key", .invalid("not in ascending order"))
            }
            last = UInt64(second)
            self.insert(key, seq: seq, stamp, at: UInt32(second))
        }
    }
}
