import NIOCore
package import RoomCluster
package import RoomCore
package import RoomModel

extension ChannelID {
    package static func make(_ text: String = "test") -> ChannelID {
        guard let id = ChannelID(text) else { preconditionFailure("\(text) is not a channel id") }
        return id
    }
}

extension ChannelSettings {
    /// - Parameter history: how many messages are kept; `nil` for none.
    package static func make(
        _ id: String = "test",
        history: Int? = 1_000,
        age: Duration = .seconds(3_600),
        grace: Duration = .seconds(10),
        authentication: Authentication = .none,
        limits: ChannelLimits = .unset
    ) -> ChannelSettings {
        ChannelSettings(id: .make(id)).with {
            $0.authentication = authentication
            $0.history = history.map { HistorySettings(count: $0, age: age) }
            $0.limits = limits
            $0.grace = grace
        }
    }

    /// Nothing in it is as it is by default.
    package static func unusual(_ id: String = "test") -> ChannelSettings {
        var settings = ChannelSettings(id: .make(id))
        for (number, setting) in ChannelSetting.all.enumerated() {
            switch setting.form {
            case .text(let field, _): field.set("Q&A: \"questions\"; DROP TABLE channel; --", &settings)
            case .choice(let field, let words): field.set(words.last { $0 != field.get(settings) }, &settings)
            case .count(let field, _, _): field.set(number + 1, &settings)
            case .duration(let field, _, _): field.set(.milliseconds(90_000 + number), &settings)
            case .historyRules(let field):
                let history = HistorySettings(count: 3, age: .seconds(5))
                field.set(
                    [
                        HistoryRule(pattern: #"^log-\d+"'/"#, history: history),
                        HistoryRule(pattern: "tmp$", history: nil),
                    ],
                    &settings
                )
            case .origins(let field): field.set(["https://app.example", "http://[::1]:8080"], &settings)
            }
        }
        return settings
    }

    /// The same with something else.
    package func with(_ change: (inout ChannelSettings) -> Void) -> ChannelSettings {
        var settings = self
        change(&settings)
        return settings
    }
}

extension RoomKey {
    package static func make(_ room: String = "room", channel: String = "test") -> RoomKey {
        RoomKey(channel: .make(channel), room: RoomName(room))
    }
}

extension ConnectionRef {
    package static func make(_ number: UInt64 = 1, shard: Int = 0) -> ConnectionRef {
        ConnectionRef(shard: shard, number: number)
    }
}

extension Sender {
    package static func make(_ id: String = "ann", data: String? = nil) -> Sender {
        .member(ClientID(id), clientData: data.map { ByteBuffer(string: $0) })
    }
}

extension UniqueID {
    package static func make(_ number: UInt64) -> UniqueID {
        UniqueID(milliseconds: 1_763_697_600_000 + Int64(number), sequence: 0, random: number)
    }
}

extension PublishCommand {
    package static func make(
        _ message: String = "1",
        from sender: String = "ann",
        callback: Int64? = 1,
        messageID: UInt64? = nil,
        ephemeral: Bool = false,
        echoes: Bool = true
    ) -> PublishCommand {
        PublishCommand(
            origin: Origin(connection: .make(), callback: callback),
            sender: .make(sender),
            message: ByteBuffer(string: message),
            messageID: messageID.map { .make($0) },
            isEphemeral: ephemeral,
            echoes: echoes
        )
    }
}

extension JoinCommand {
    package static func make(
        _ id: String = "ann",
        data: String? = nil,
        connection: UInt64 = 1,
        wireFormat: WireFormat = .jsonLines,
        start: Start = .live(historyCount: 0),
        resumes: UInt32 = 0,
        asksPresence: Bool? = nil
    ) -> JoinCommand {
        JoinCommand(
            connection: .make(connection),
            member: .make(id, data: data),
            clientID: ClientID(id),
            wireFormat: wireFormat,
            start: start,
            resumes: resumes,
            asksPresence: asksPresence
        )
    }
}

extension RedactCommand {
    /// - Parameter seq: the message's.
    package static func make(_ seq: UInt64 = 1, epoch: UInt64 = 7, reason: String? = nil) -> RedactCommand {
        RedactCommand(
            origin: Origin(connection: .make(), callback: 0),
            sender: .make("mod"),
            reason: reason,
            epoch: Epoch(rawValue: epoch),
            newest: .max,
            tombstone: Tombstone(seq: seq, id: .make(seq), tail: ByteBuffer())
        )
    }
}

extension OpenedLog {
    package static func make(
        epoch: UInt64 = 7,
        lastSeq: UInt64 = 0,
        oldestSeq: UInt64 = 1,
        hasExpired: Bool = false,
        recentKeys: [KeyedEntry] = [],
        redactions: [UInt64] = []
    ) -> OpenedLog {
        OpenedLog(
            log: LogID(rawValue: 1, generation: 1),
            epoch: Epoch(rawValue: epoch),
            lastSeq: lastSeq,
            lastID: nil,
            oldestSeq: oldestSeq,
            hasExpired: hasExpired,
            recentKeys: recentKeys,
            redactions: RedactionIndex(seqs: redactions)
        )
    }
}

extension PartitionRecord.Command {
    /// Of a room of a channel as `ChannelSettings.make` has it.
    package init(_ command: RoomCommand, in room: RoomKey) {
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: room.room, BrokerLimits())
        self.init(command, in: room, settings)
    }
}

extension RecordSender {
    package mutating func add(_ command: RoomCommand, in room: RoomKey, now: UInt64) -> RoomAnswer? {
        self.add(PartitionRecord.Command(command, in: room), now: now)
    }
}
