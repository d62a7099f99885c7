package import RoomModel

extension RecordWriter {
    private mutating func write(_ kind: CommandKind) { self.write(byte: kind.rawValue) }

    package mutating func write(_ command: RoomCommand) {
        switch command {
        case .publish(let publish): self.write(publish)
        case .join(let join): self.write(join)
        case .leave(let client, let connection):
            self.write(CommandKind.leave)
            self.write(text: client.text)
            self.write(connection)
        case .linger(let client, let connection, let newest):
            self.write(CommandKind.linger)
            self.write(flags: newest != nil)
            self.write(text: client.text)
            self.write(connection)
            if let newest { self.write(newest) }
        case .graceEnded(let client):
            self.write(CommandKind.graceEnded)
            self.write(text: client.text)
        case .update(let sender):
            self.write(CommandKind.update)
            self.write(sender)
        case .kick(let kick): self.write(kick)
        case .notice(let notice): self.write(notice)
        case .rules(let rules):
            self.write(CommandKind.rules)
            self.write(rules)
        case .settings(let settings, let epoch):
            self.write(CommandKind.settings)
            self.write(settings)
            self.write(bits: epoch.rawValue)
        case .rename(let rename):
            self.write(CommandKind.rename)
            self.write(rename.origin)
            self.write(rename.sender)
            self.write(text: rename.name)
            self.write(rename.author)
        case .members(let origin):
            self.write(CommandKind.members)
            self.write(origin)
        case .history(let origin, let request): self.write(origin, request)
        case .locate(let origin):
            self.write(CommandKind.locate)
            self.write(origin)
        case .redact(let redact): self.write(redact)
        case .clear(let clear):
            self.write(CommandKind.clear)
            self.write(clear.origin)
            self.write(clear.sender)
        }
    }

    private mutating func write(_ publish: PublishCommand) {
        self.write(CommandKind.publish)
        self.write(
            flags: publish.messageID != nil,
            publish.isEphemeral,
            publish.echoes,
            publish.author != nil,
            publish.erasedText != nil
        )
        self.write(publish.origin)
        self.write(publish.sender)
        self.write(bytes: publish.message)
        if let id = publish.messageID { self.write(id) }
        if let author = publish.author { self.write(author) }
        if let erased = publish.erasedText { self.write(bits: erased) }
    }

    private mutating func write(_ join: JoinCommand) {
        self.write(CommandKind.join)
        self.write(flags: join.isModerator, join.isRepeat, join.asksPresence != nil, join.asksPresence ?? false)
        self.write(join.connection)
        self.write(join.member)
        self.write(text: join.clientID.text)
        self.write(byte: join.wireFormat.recorded)
        self.write(limit: join.historyDepth)
        self.write(count: Int(join.resumes))
        switch join.start {
        case .live(let count):
            self.write(byte: 1)
            self.write(count: count)
        case .since(let position):
            self.write(byte: 2)
            self.write(flags: position.epoch != nil)
            if let epoch = position.epoch { self.write(bits: epoch.rawValue) }
            self.write(position.seq)
        case .resync(let seq, let policy):
            self.write(byte: 3)
            self.write(seq)
            self.write(byte: policy.recorded)
        }
    }

    private mutating func write(_ kick: KickCommand) {
        self.write(CommandKind.kick)
        self.write(flags: kick.reason != nil)
        self.write(text: kick.client.text)
        if let reason = kick.reason { self.write(text: reason) }
        self.write(kick.sender)
        self.write(kick.origin)
    }

    private mutating func write(_ notice: NoticeCommand) {
        self.write(CommandKind.notice)
        self.write(text: notice.notice.text)
        switch notice.notice.kind {
        case .none: self.write(byte: 0)
        case .locked: self.write(byte: 1)
        case .unlocked: self.write(byte: 2)
        case .slowMode(let seconds):
            self.write(byte: 3)
            self.write(count: seconds)
        }
        self.write(notice.sender)
        self.write(notice.origin)
    }

    package mutating func write(_ rules: RoomRules) {
        self.write(flags: rules.isLocked, rules.lockReason != nil, rules.slowMode != nil, rules.memberLimit != nil)
        if let reason = rules.lockReason { self.write(text: reason) }
        if let seconds = rules.slowMode { self.write(count: seconds) }
        if let members = rules.memberLimit { self.write(count: members) }
    }

    package mutating func write(_ settings: RoomSettings) {
        self.write(
            flags: settings.history != nil,
            settings.presence == .shown,
            settings.showsAuthData,
            settings.memberLimit != nil,
            settings.presence == .onRequest
        )
        self.write(signed: settings.version)
        if let history = settings.history {
            self.write(count: history.count)
            let (seconds, attoseconds) = history.age.components
            self.write(signed: seconds)
            self.write(signed: attoseconds)
        }
        self.write(limit: settings.membersListed)
        self.write(limit: settings.memberListBytes)
        if let limit = settings.memberLimit { self.write(count: limit) }
        self.write(limit: settings.roomLimit)
        self.write(limit: settings.publishKeys)
        self.write(count: Int(settings.longestGrace))
    }

    private mutating func write(_ origin: Origin, _ request: HistoryRequest) {
        self.write(CommandKind.history)
        self.write(flags: request.limit != nil)
        self.write(origin)
        self.write(text: request.room.text)
        switch request.anchor {
        case .newest: self.write(byte: 1)
        case .before(let seq):
            self.write(byte: 2)
            self.write(seq)
        case .after(let seq):
            self.write(byte: 3)
            self.write(seq)
        }
        if let limit = request.limit { self.write(count: limit) }
        self.write(limit: request.depth)
    }

    private mutating func write(_ redact: RedactCommand) {
        self.write(CommandKind.redact)
        self.write(flags: redact.reason != nil, redact.tombstone.text != nil)
        self.write(redact.origin)
        self.write(redact.sender)
        if let reason = redact.reason { self.write(text: reason) }
        self.write(bits: redact.epoch.rawValue)
        self.write(redact.newest)
        self.write(redact.tombstone.seq)
        self.write(redact.tombstone.id)
        self.write(bytes: redact.tombstone.tail)
        if let text = redact.tombstone.text { self.write(text) }
    }
}
