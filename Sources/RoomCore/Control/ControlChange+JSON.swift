package import RoomJSON
import RoomModel

/// A change as a JSON object, as it stands in the log that all nodes follow.
extension ControlChange {
    package var json: JSONTree {
        switch self {
        case .create(let settings, let secret, let audit):
            Self.object("channel.create", ("settings", settings.json), ("secret", secret.json), ("audit", audit.json))
        case .update(let settings, let version, let audit):
            Self.object(
                "channel.update",
                ("settings", settings.json),
                ("if_version", .optional(version) { .integer($0) }),
                ("audit", audit.json)
            )
        case .setSecrets(let secrets, let id, let version, let audit):
            Self.object(
                "channel.secrets",
                ("channel", .string(id.text)),
                ("secrets", .array(secrets.map(\.json))),
                ("if_version", .optional(version) { .integer($0) }),
                ("audit", audit.json)
            )
        case .delete(let id, let version, let audit):
            Self.object(
                "channel.delete",
                ("channel", .string(id.text)),
                ("if_version", .optional(version) { .integer($0) }),
                ("audit", audit.json)
            )
        case .impose(let sanction, let id, let audit):
            Self.object(
                "sanction.impose",
                ("channel", .string(id.text)),
                ("sanction", sanction.json),
                ("audit", audit.json)
            )
        case .lift(let key, let id, let audit):
            Self.object("sanction.lift", ("channel", .string(id.text)), ("key", key.json), ("audit", audit.json))
        case .rules(let rules, let room, let audit):
            Self.object(
                "room.rules",
                ("channel", .string(room.channel.text)),
                ("room", .string(room.room.text)),
                ("rules", rules.json),
                ("audit", .array(audit.map(\.json)))
            )
        case .note(let audit): Self.object("note", ("audit", audit.json))
        case .withdraw(let entry): Self.object("withdraw", ("entry", .integer(entry)))
        case .addToken(let token, let audit):
            Self.object("token.create", ("token", token.json), ("audit", audit.json))
        case .removeToken(let name, let audit):
            Self.object("token.delete", ("name", .string(name)), ("audit", audit.json))
        case .none: Self.object("none")
        }
    }

    private static func object(_ word: String, _ fields: (String, JSONTree)...) -> JSONTree {
        .object([.init("change", .string(word))] + fields.map { .init($0.0, $0.1) })
    }

    /// `nil`: it is no change that this version knows.
    package init?(_ json: JSONTree) {
        guard let change = Self.channelChange(json) ?? Self.moderationChange(json) ?? Self.otherChange(json) else {
            return nil
        }
        self = change
    }

    private static func channelChange(_ json: JSONTree) -> ControlChange? {
        let version = json["if_version"]?.int64
        guard let audit = json["audit"].flatMap(AuditEntry.init) else { return nil }
        switch json["change"] {
        case .string("channel.create"):
            guard let settings = json["settings"].flatMap(ChannelSettings.init),
                let secret = json["secret"].flatMap(ChannelSecret.init)
            else { return nil }
            return .create(settings, secret, audit)
        case .string("channel.update"):
            return json["settings"].flatMap(ChannelSettings.init).map { .update($0, ifVersion: version, audit) }
        case .string("channel.secrets"):
            guard let id = json.channel, let secrets = json["secrets"]?.list(ChannelSecret.init) else { return nil }
            return .setSecrets(secrets, of: id, ifVersion: version, audit)
        case .string("channel.delete"): return json.channel.map { .delete($0, ifVersion: version, audit) }
        default: return nil
        }
    }

    private static func moderationChange(_ json: JSONTree) -> ControlChange? {
        guard let channel = json.channel, let audit = json["audit"] else { return nil }
        switch json["change"] {
        case .string("sanction.impose"):
            guard let sanction = json["sanction"].flatMap(Sanction.init), let audit = AuditEntry(audit) else {
                return nil
            }
            return .impose(sanction, in: channel, audit)
        case .string("sanction.lift"):
            guard let key = json["key"].flatMap(Sanction.Key.init), let audit = AuditEntry(audit) else { return nil }
            return .lift(key, in: channel, audit)
        case .string("room.rules"):
            guard let room = json["room"]?.stringValue, let rules = json["rules"].flatMap(RoomRules.init),
                let entries = audit.list(AuditEntry.init)
            else { return nil }
            return .rules(rules, of: RoomKey(channel: channel, room: RoomName(room)), entries)
        default: return nil
        }
    }

    private static func otherChange(_ json: JSONTree) -> ControlChange? {
        let audit = json["audit"].flatMap(AuditEntry.init)
        switch json["change"] {
        case .string("note"): return audit.map { .note($0) }
        case .string("withdraw"): return json["entry"]?.int64.map { .withdraw($0) }
        case .string("token.create"):
            guard let audit, let token = json["token"].flatMap(StoredAdminToken.init) else { return nil }
            return .addToken(token, audit)
        case .string("token.delete"):
            guard let audit, let name = json["name"]?.stringValue else { return nil }
            return .removeToken(name: name, audit)
        case .string("none"): return ControlChange.none
        default: return nil
        }
    }
}

extension JSONTree {
    fileprivate var int64: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }
    fileprivate var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
    fileprivate var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    fileprivate var channel: ChannelID? { self["channel"]?.stringValue.flatMap { ChannelID($0) } }

    /// `nil` where one of them cannot be read.
    fileprivate func list<Value>(_ read: (JSONTree) -> Value?) -> [Value]? {
        guard case .array(let elements) = self else { return nil }
        let values = elements.compactMap(read)
        return values.count == elements.count ? values : nil
    }
}

extension ChannelSettings {
    /// By the columns and forms of `ChannelSetting.all`; what has no value is left out.
    fileprivate var json: JSONTree {
        let fields = ChannelSetting.all.compactMap { setting -> JSONTree.Field? in
            setting.json(of: self).map { .init(setting.column, $0) }
        }
        return .object([.init("id", .string(self.id.text))] + fields)
    }

    fileprivate init?(_ json: JSONTree) {
        guard case .object(let fields) = json, let id = json["id"]?.stringValue.flatMap({ ChannelID($0) }) else {
            return nil
        }
        self.init(id: id)
        let known = Set(ChannelSetting.all.map(\.column))
        guard fields.allSatisfy({ $0.name == "id" || known.contains($0.name) }) else { return nil }
        for setting in ChannelSetting.all { guard setting.set(json[setting.column], in: &self) else { return nil } }
    }
}

extension ChannelSetting {
    fileprivate func json(of settings: ChannelSettings) -> JSONTree? {
        switch self.form {
        case .text(let field, _), .choice(let field, _): field.get(settings).map { .string($0) }
        case .count(let field, _, _): field.get(settings).map { .integer($0) }
        case .duration(let field, _, _): field.get(settings).map { .integer($0.milliseconds) }
        case .historyRules(let field): field.get(settings).map { .array($0.map(\.json)) }
        case .origins(let field): field.get(settings).map { .array($0.map { .string($0) }) }
        }
    }

    /// - Returns: whether the value can be one.
    fileprivate func set(_ value: JSONTree?, in settings: inout ChannelSettings) -> Bool {
        switch self.form {
        case .text(let field, _): Self.set(field, value, \.stringValue, &settings)
        case .choice(let field, let words):
            Self.set(field, value, { $0.stringValue.flatMap { words.contains($0) ? $0 : nil } }, &settings)
        case .count(let field, _, _): Self.set(field, value, \.int, &settings)
        case .duration(let field, _, _): Self.set(field, value, { $0.int64.map { .milliseconds($0) } }, &settings)
        case .historyRules(let field): Self.set(field, value, { $0.list(HistoryRule.init) }, &settings)
        case .origins(let field): Self.set(field, value, { $0.list(\.stringValue) }, &settings)
        }
    }

    private static func set<Value>(
        _ field: Field<Value>,
        _ value: JSONTree?,
        _ read: (JSONTree) -> Value?,
        _ settings: inout ChannelSettings
    ) -> Bool {
        let read = value.map(read)
        if case .some(.none) = read { return false }
        field.set(read ?? nil, &settings)
        return true
    }
}

extension Duration {
    /// Whole ones.
    fileprivate var milliseconds: Int64 {
        self.components.seconds * 1_000 + self.components.attoseconds / 1_000_000_000_000_000
    }
}

extension HistoryRule {
    fileprivate var json: JSONTree {
        let history: [JSONTree.Field] =
            self.history.map {
                [.init("count", .integer($0.count)), .init("age_milliseconds", .integer($0.age.milliseconds))]
            } ?? []
        return .object([.init("pattern", .string(self.pattern))] + history)
    }

    fileprivate init?(_ json: JSONTree) {
        guard let pattern = json["pattern"]?.stringValue else { return nil }
        self.init(pattern: pattern, history: nil)
        guard let count = json["count"]?.int, let age = json["age_milliseconds"]?.int64 else { return }
        self.history = HistorySettings(count: count, age: .milliseconds(age))
    }
}

extension ChannelSecret {
    fileprivate var json: JSONTree {
        .object([.init("text", .string(self.text)), .init("expires", .optional(self.expires) { .integer($0) })])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let text = json["text"]?.stringValue else { return nil }
        self.init(text: text, expires: json["expires"]?.int64)
    }
}

extension AuditEntry {
    fileprivate var json: JSONTree {
        .object([
            .init("time", .integer(self.time)), .init("actor", .string(self.actor)),
            .init("origin", .string(self.origin)), .init("action", .string(self.action)),
            .init("target", .string(self.target)), .init("details", .string(self.details)),
        ])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let time = json["time"]?.int64, let actor = json["actor"]?.stringValue,
            let origin = json["origin"]?.stringValue,
            let action = json["action"]?.stringValue, let target = json["target"]?.stringValue,
            let details = json["details"]?.stringValue
        else { return nil }
        self.init(time: time, actor: actor, origin: origin, action: action, target: target, details: details)
    }
}

extension Sanction.Key {
    fileprivate var json: JSONTree {
        let subject: JSONTree.Field =
            switch self.subject {
            case .user(let user): .init("user", .string(user))
            case .client(let client): .init("client", .string(client.text))
            case .address(let range): .init("address", .string("\(range)"))
            }
        return .object([
            .init("kind", .string(self.kind.rawValue)), .init("room", .optional(self.room) { .string($0.text) }),
            subject,
        ])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let kind = json["kind"]?.stringValue.flatMap(Sanction.Kind.init) else { return nil }
        let subject: SanctionSubject? =
            json["user"]?.stringValue.map { .user($0) } ?? json["client"]?.stringValue.map { .client(ClientID($0)) }
            ?? json["address"]?.stringValue.flatMap { AddressRange($0) }.map { .address($0) }
        guard let subject else { return nil }
        self.init(kind, of: subject, in: json["room"]?.stringValue.map { RoomName($0) })
    }
}

extension Sanction {
    fileprivate var json: JSONTree {
        .object([
            .init("key", self.key.json), .init("reason", .optional(self.reason) { .string($0) }),
            .init("author", .string(self.author)), .init("created", .integer(self.created)),
            .init("expires", .optional(self.expires) { .integer($0) }),
        ])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let key = json["key"].flatMap(Sanction.Key.init), let author = json["author"]?.stringValue,
            let created = json["created"]?.int64
        else { return nil }
        let (reason, expires) = (json["reason"]?.stringValue, json["expires"]?.int64)
        self.init(key: key, reason: reason, author: author, created: created, expires: expires)
    }
}

extension RoomRules {
    fileprivate var json: JSONTree {
        .object([
            .init("locked", .bool(self.isLocked)), .init("reason", .optional(self.lockReason) { .string($0) }),
            .init("slow_mode", .optional(self.slowMode) { .integer($0) }),
            .init("member_limit", .optional(self.memberLimit) { .integer($0) }),
        ])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let isLocked = json["locked"]?.bool else { return nil }
        self.init()
        self.isLocked = isLocked
        self.lockReason = json["reason"]?.stringValue
        self.slowMode = json["slow_mode"]?.int
        self.memberLimit = json["member_limit"]?.int
    }
}

extension StoredAdminToken {
    fileprivate var json: JSONTree {
        let scopes = AdminScope.allCases.filter(self.scopes.contains)
        return .object([
            .init("name", .string(self.name)), .init("hash", .array(self.hash.map { .integer($0) })),
            .init("scopes", .array(scopes.map { .string($0.rawValue) })), .init("created", .integer(self.created)),
            .init("expires", .optional(self.expires) { .integer($0) }),
        ])
    }

    fileprivate init?(_ json: JSONTree) {
        guard let name = json["name"]?.stringValue, let created = json["created"]?.int64,
            let hash = json["hash"]?.list({ $0.int.flatMap { UInt8(exactly: $0) } }),
            let scopes = json["scopes"]?.list({ $0.stringValue.flatMap(AdminScope.init) })
        else { return nil }
        self.init(name: name, hash: hash, scopes: Set(scopes), created: created, expires: json["expires"]?.int64)
    }
}
