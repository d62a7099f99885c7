package import RoomModel

extension RecordReader {
    package mutating func command() throws(RecordError) -> RoomCommand {
        let byte = try self.byte("kind of a command")
        guard let kind = CommandKind(rawValue: byte) else {
            throw self.error("kind of a command", .unknown("kind \(byte)"))
        }
        switch kind {
        case .publish: return .publish(try self.publish())
        case .join: return .join(try self.join())
        case .leave: return .leave(try self.client("client of a leave"), try self.connection())
        case .linger:
            let hasNewest = try self.flags("flags of a linger", 1)[0]
            let (client, connection) = (try self.client("client of a linger"), try self.connection())
            return .linger(client, connection, newest: hasNewest ? try self.sender() : nil)
        case .graceEnded: return .graceEnded(try self.client("client of an end of grace"))
        case .update: return .update(try self.sender())
        case .kick: return .kick(try self.kick())
        case .notice: return .notice(try self.notice())
        case .rules: return .rules(try self.rules())
        case .settings:
            let settings = try self.settings()
            return .settings(settings, epoch: try self.epoch("epoch of settings"))
        case .rename:
            let (origin, sender) = (try self.origin(), try self.sender())
            let name = try self.text("name of a rename")
            return .rename(RenameCommand(origin: origin, sender: sender, name: name, author: try self.author()))
        case .members: return .members(try self.origin())
        case .history: return try self.history()
        case .locate: return .locate(try self.origin())
        case .redact: return .redact(try self.redact())
        case .clear: return .clear(ClearCommand(origin: try self.origin(), sender: try self.sender()))
        }
    }

    private mutating func publish() throws(RecordError) -> PublishCommand {
        let flags = try self.flags("flags of a publish", 5)
        var publish = PublishCommand(
            origin: try self.origin(),
            sender: try self.sender(),
            message: try self.data("message"),
            isEphemeral: flags[1],
            echoes: flags[2]
        )
        if flags[0] { publish.messageID = try self.id("message_id") }
        if flags[3] { publish.author = try self.author() }
        if flags[4] { publish.erasedText = try self.bits("hash of an erased text") }
        return publish
    }

    private mutating func join() throws(RecordError) -> JoinCommand {
        let flags = try self.flags("flags of a join", 4)
        guard flags[2] || !flags[3] else { throw self.error("flags of a join", .invalid("nothing is asked")) }
        let (connection, member) = (try self.connection(), try self.sender())
        let client = try self.client("client of a join")
        let format = try self.wireFormat()
        let depth = try self.limit("history depth of a join")
        let resumes = UInt32(try self.count("resumes of a join", of: UInt64(UInt32.max)))
        return JoinCommand(
            connection: connection,
            member: member,
            clientID: client,
            wireFormat: format,
            start: try self.start(),
            historyDepth: depth,
            resumes: resumes,
            isModerator: flags[0],
            isRepeat: flags[1],
            asksPresence: flags[2] ? flags[3] : nil
        )
    }

    private mutating func start() throws(RecordError) -> JoinCommand.Start {
        let kind = try self.byte("start of a join")
        switch kind {
        case 1: return .live(historyCount: try self.count("history count of a join"))
        case 2:
            let hasEpoch = try self.flags("flags of a position", 1)[0]
            let epoch = hasEpoch ? try self.epoch("epoch of a position") : nil
            return .since(Position(epoch: epoch, seq: try self.number("seq of a position")))
        case 3:
            let seq = try self.number("seq of a resync")
            let byte = try self.byte("overflow policy")
            guard let policy = OverflowPolicy(recorded: byte) else {
                throw self.error("overflow policy", .unknown("policy \(byte)"))
            }
            return .resync(seq: seq, policy)
        default: throw self.error("start of a join", .unknown("start \(kind)"))
        }
    }

    private mutating func kick() throws(RecordError) -> KickCommand {
        let hasReason = try self.flags("flags of a kick", 1)[0]
        let client = try self.client("client of a kick")
        let reason = hasReason ? try self.text("reason of a kick") : nil
        return KickCommand(client: client, reason: reason, sender: try self.sender(), origin: try self.origin())
    }

    private mutating func notice() throws(RecordError) -> NoticeCommand {
        let text = try self.text("text of a notice")
        let kind = try self.byte("kind of a notice")
        let notice: Notice
        switch kind {
        case 0: notice = Notice(text: text)
        case 1: notice = Notice(text: text, kind: .locked)
        case 2: notice = Notice(text: text, kind: .unlocked)
        case 3: notice = Notice(text: text, kind: .slowMode(seconds: try self.count("seconds of a notice")))
        default: throw self.error("kind of a notice", .unknown("notice \(kind)"))
        }
        let sender = try self.sender()
        return NoticeCommand(notice, by: sender, origin: try self.origin())
    }

    package mutating func rules() throws(RecordError) -> RoomRules {
        let flags = try self.flags("flags of rules", 4)
        var rules = RoomRules()
        rules.isLocked = flags[0]
        if flags[1] { rules.lockReason = try self.text("reason of a lock") }
        if flags[2] { rules.slowMode = try self.count("slow mode", in: RoomRules.slowModeBounds) }
        if flags[3] { rules.memberLimit = try self.count("member limit", in: RoomRules.memberLimitBounds) }
        return rules
    }

    package mutating func settings() throws(RecordError) -> RoomSettings {
        let flags = try self.flags("flags of settings", 5)
        guard !flags[1] || !flags[4] else {
            throw self.error("flags of settings", .invalid("members are shown to all, and on request"))
        }
        let version = try self.signed("version of settings")
        var history: HistorySettings?
        if flags[0] {
            let count = try self.count("history count", in: 1...Int.max)
            history = HistorySettings(count: count, age: try self.duration("history age"))
        }
        return RoomSettings(
            version: version,
            history: history,
            presence: flags[1] ? .shown : flags[4] ? .onRequest : .hidden,
            showsAuthData: flags[2],
            membersListed: try self.limit("members listed"),
            memberListBytes: try self.limit("bytes of a list of members"),
            memberLimit: flags[3] ? try self.count("member limit of settings") : nil,
            roomLimit: try self.limit("room limit"),
            publishKeys: try self.limit("publish keys"),
            longestGrace: Int64(try self.count("longest grace", of: RoomSettings.graces))
        )
    }

    private mutating func duration(_ part: StaticString) throws(RecordError) -> Duration {
        let (seconds, attoseconds) = (try self.signed(part), try self.signed(part))
        let second: Int64 = 1_000_000_000_000_000_000
        let haveOneSign = attoseconds == 0 || seconds == 0 || (attoseconds < 0) == (seconds < 0)
        guard -second < attoseconds, attoseconds < second, haveOneSign else {
            throw self.error(part, .invalid("no time"))
        }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    private mutating func history() throws(RecordError) -> RoomCommand {
        let hasLimit = try self.flags("flags of a history request", 1)[0]
        let origin = try self.origin()
        let room = RoomName(try self.text("room of a history request"))
        let kind = try self.byte("anchor of a history request")
        let anchor: HistoryRequest.Anchor
        switch kind {
        case 1: anchor = .newest
        case 2: anchor = .before(try self.number("seq of a history request"))
        case 3: anchor = .after(try self.number("seq of a history request"))
        default: throw self.error("anchor of a history request", .unknown("anchor \(kind)"))
        }
        let limit = hasLimit ? try self.count("limit of a history request") : nil
        let depth = try self.limit("depth of a history request")
        return .history(origin, HistoryRequest(room: room, anchor: anchor, limit: limit, depth: depth))
    }

    private mutating func redact() throws(RecordError) -> RedactCommand {
        let (hasReason, hasText) = try self.flags("flags of a redaction", 2).two
        let (origin, sender) = (try self.origin(), try self.sender())
        let reason = hasReason ? try self.text("reason of a redaction") : nil
        let epoch = try self.epoch("epoch of a redaction")
        let newest = try self.number("newest message of a redaction")
        let tombstone = Tombstone(
            seq: try self.number("seq of a redaction"),
            id: try self.id("id of a redaction"),
            tail: try self.data("tombstone"),
            text: hasText ? try self.textMark() : nil
        )
        return RedactCommand(
            origin: origin,
            sender: sender,
            reason: reason,
            epoch: epoch,
            newest: newest,
            tombstone: tombstone
        )
    }
}
