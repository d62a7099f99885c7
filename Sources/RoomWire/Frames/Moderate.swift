package import RoomModel

extension ModerationRequest: Frame {
    package var type: FrameType { .moderate }

    package init(placeholder: ()) { self.init(room: RoomName(""), act: .room(.clear)) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        var form = ModerationForm(self.act)
        try form.fields(&visitor)
        do throws(RequestError) {
            self.act = try form.act()
        } catch {
            try visitor.refuse(error)
        }
    }
}

/// The fields of a `moderate` frame but for its room. Which of them an act has, its `action` says.
private struct ModerationForm {
    var action = ModerationAction.clear
    var user: String?
    var clientID: ClientID?
    var address: AddressRange?
    var seconds: Int?
    var isRedacting = false
    var count: Int?
    var targetSeq: UInt64?
    var targetID: UniqueID?
    var after: UInt64 = 0
    var text: String?
    var reason: String?

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("action", &self.action)
        let action = self.action
        let name = FieldRule.within(1...SanctionSubject.longestUser)
        let namesSomebody = [.ban, .mute, .unban, .unmute, .redact].contains(action)
        try visitor.field("user", &self.user, name, when: namesSomebody)
        try visitor.field("client_id", &self.clientID, name, when: namesSomebody || action == .kick)
        try visitor.field("address", &self.address, when: namesSomebody)
        let namesMessage = action == .redact || action == .show
        try visitor.field("target_seq", &self.targetSeq, .atLeast(1), when: namesMessage)
        try visitor.field("target_id", &self.targetID, when: namesMessage)
        try visitor.field("after_seq", &self.after, or: 0, when: action == .redact && !self.namesNobody)
        try visitor.field(
            "reason",
            &self.reason,
            .within(1...ModerationAct.longestReason),
            when: [.kick, .ban, .mute, .lock, .redact].contains(action)
        )
        try visitor.field("seconds", &self.seconds, self.secondsRule, when: [.ban, .mute, .slowMode].contains(action))
        try visitor.field("redact", &self.isRedacting, or: false, when: action == .ban)
        try visitor.field("count", &self.count, Self.countRule, when: action == .limitMembers)
        try visitor.field("text", &self.text, .within(1...ModerationAct.longestNotice), when: action == .notice)
    }

    private static let countRule = FieldRule.within(0...RoomRules.memberLimitBounds.upperBound)

    private var secondsRule: FieldRule {
        .within(self.action == .slowMode ? 0...RoomRules.slowModeBounds.upperBound : 1...ModerationAct.longestSanction)
    }

    private var namesNobody: Bool { self.user == nil && self.clientID == nil && self.address == nil }
}

/// The act that the fields ask for, with what they have to be for it.
extension ModerationForm {
    func act() throws(RequestError) -> ModerationAct {
        switch self.action {
        case .kick: .room(.kick(try self.clientID.needed("client_id"), reason: self.reason))
        case .ban where self.isRedacting:
            .banAndRedact(try self.author(), reason: self.reason, seconds: self.seconds)
        case .ban: .impose(.ban, try self.subject(), reason: self.reason, seconds: self.seconds)
        case .mute: .impose(.mute, try self.subject(), reason: self.reason, seconds: self.seconds)
        case .unban: .lift(.ban, try self.subject())
        case .unmute: .lift(.mute, try self.subject())
        case .lock: .lock(reason: self.reason)
        case .unlock: .unlock
        case .slowMode: .slowMode(seconds: try self.seconds.needed("seconds", self.secondsRule))
        case .limitMembers:
            .limitMembers(count: try self.count.needed("count", Self.countRule))
        case .redact: try self.redaction()
        case .clear: .room(.clear)
        case .notice: .room(.notice(Notice(text: try self.text.needed("text"))))
        case .show: .show(authorOf: try self.target())
        }
    }

    /// One message, or all of somebody.
    private func redaction() throws(RequestError) -> ModerationAct {
        let target = try self.target()
        if self.namesNobody {
            guard let target else {
                throw RequestError(
                    .missingField,
                    "\"target_seq\" or \"target_id\" is missing: name the message, or by \"user\" or \"client_id\" "
                        + "somebody whose messages are meant"
                )
            }
            return .room(.redact(target, reason: self.reason))
        }
        if target != nil {
            throw RequestError(.invalidField, "name one message, or somebody whose messages are meant, not both")
        }
        return .redactAll(try self.author(), after: self.after, reason: self.reason)
    }

    private func author() throws(RequestError) -> SanctionSubject {
        let subject = try self.subject()
        if case .address = subject {
            throw RequestError(
                .invalidField,
                "messages are not stored with an address: name their author by \"user\" or \"client_id\""
            )
        }
        return subject
    }

    private func subject() throws(RequestError) -> SanctionSubject {
        switch (self.user, self.clientID, self.address) {
        case (let user?, nil, nil): return .user(user)
        case (nil, let client?, nil): return .client(client)
        case (nil, nil, let range?): return .address(range)
        case (nil, nil, nil):
            throw RequestError(.missingField, "\"user\", \"client_id\" or \"address\" is missing: give one of them")
        default:
            throw RequestError(.invalidField, "give one of \"user\", \"client_id\" and \"address\", not more")
        }
    }

    private func target() throws(RequestError) -> MessageReference? {
        if self.targetSeq != nil, self.targetID != nil {
            throw RequestError(.invalidField, "give \"target_seq\" or \"target_id\", not both")
        }
        return self.targetSeq.map { .seq($0) } ?? self.targetID.map { .id($0) }
    }
}

/// The fields of an act.
extension ModerationForm {
    init(_ act: ModerationAct) {
        switch act {
        case .room(let act): self.describe(act)
        case .impose(let kind, let subject, let reason, let seconds):
            (self.action, self.reason, self.seconds) = (kind == .ban ? .ban : .mute, reason, seconds)
            self.name(subject)
        case .banAndRedact(let subject, let reason, let seconds):
            (self.action, self.isRedacting, self.reason, self.seconds) = (.ban, true, reason, seconds)
            self.name(subject)
        case .lift(let kind, let subject):
            self.action = kind == .ban ? .unban : .unmute
            self.name(subject)
        case .lock(let reason): (self.action, self.reason) = (.lock, reason)
        case .unlock: self.action = .unlock
        case .slowMode(let seconds): (self.action, self.seconds) = (.slowMode, seconds)
        case .limitMembers(let count): (self.action, self.count) = (.limitMembers, count)
        case .redactAll(let subject, let after, let reason):
            (self.action, self.after, self.reason) = (.redact, after, reason)
            self.name(subject)
        case .show(let message):
            self.action = .show
            if let message { self.name(message) }
        }
    }

    private mutating func describe(_ act: RoomAct) {
        switch act {
        case .kick(let client, let reason): (self.action, self.clientID, self.reason) = (.kick, client, reason)
        case .redact(let target, let reason):
            (self.action, self.reason) = (.redact, reason)
            self.name(target)
        case .clear: self.action = .clear
        case .notice(let notice): (self.action, self.text) = (.notice, notice.text)
        }
    }

    private mutating func name(_ subject: SanctionSubject) {
        switch subject {
        case .user(let user): self.user = user
        case .client(let client): self.clientID = client
        case .address(let range): self.address = range
        }
    }

    private mutating func name(_ message: MessageReference) {
        switch message {
        case .seq(let seq): self.targetSeq = seq
        case .id(let id): self.targetID = id
        }
    }
}

/// The values of `action`.
private enum ModerationAction: String, WordValue {
    case kick
    case ban
    case mute
    case unban
    case unmute
    case lock
    case unlock
    case slowMode = "slow_mode"
    case limitMembers = "limit_members"
    case redact
    case clear
    case notice
    case show

    static func right(_ rule: FieldRule) -> String {
        "one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
    }
}
