import RoomCore
import RoomModel
import RoomWire

extension ChannelDocument {
    /// The settings of a new channel.
    static func created(_ body: JSONTree) throws(Problem) -> ChannelSettings {
        let reader = try DocumentReader(body, known: ["id"] + self.settable)
        guard case .string(let text)? = body["id"] else {
            throw body["id"] == nil ? reader.missing("id") : reader.fault("id", self.idRule)
        }
        if ChannelID.reserved.contains(text) {
            let words = ChannelID.reserved.sorted().joined(separator: ", ")
            throw reader.fault("id", "another one: \(words) are reserved for paths of the HTTP listener")
        }
        guard let id = ChannelID(text) else { throw reader.fault("id", self.idRule) }
        return try self.changed(ChannelSettings(id: id), by: body)
    }

    /// The settings after a JSON merge patch (RFC 7396): what it names is set, by null to the default.
    static func changed(_ settings: ChannelSettings, by patch: JSONTree) throws(Problem) -> ChannelSettings {
        try self.checkNames(patch)
        let merged = self.settings(settings).merged(with: patch)
        let reader = try DocumentReader(merged, known: ["id"] + self.settable)
        var changed = ChannelSettings(id: settings.id)
        let name = try reader.text("name", "at most \(ChannelBounds.name) bytes without control characters") {
            $0.utf8.count <= ChannelBounds.name && !$0.hasControlCharacter
        }
        if let name { changed.name = name }
        if let authentication: Authentication = try reader.choice("authentication") {
            changed.authentication = authentication
        }
        if let expiry: TokenExpiry = try reader.choice("token_expiry") { changed.tokenExpiry = expiry }
        changed.history = try self.history(reader)
        changed.historyRules = try self.rules(reader)
        if let order: HistoryOrder = try reader.choice("history_order") { changed.historyOrder = order }
        if let durability: Durability = try reader.choice("durability") { changed.durability = durability }
        if let presence: PresenceScope = try reader.choice("presence") { changed.presence = presence }
        changed.membersListed = try reader.integer("members_listed", in: ChannelBounds.counts)
        if let stamps: AuthDataStamps = try reader.choice("auth_data_stamps") { changed.authDataStamps = stamps }
        changed.allowedOrigins = try self.origins(reader)
        changed.limits = try self.limits(reader)
        if let grace = try reader.seconds("grace_seconds", in: ChannelBounds.grace) { changed.grace = grace }
        return changed
    }

    private static let idRule = "1 to 64 characters of A-Z a-z 0-9 _ -"

    /// A null would take a field away before anybody saw that there is none of its name.
    private static func checkNames(_ patch: JSONTree) throws(Problem) {
        for name in self.readOnly where patch[name] != nil {
            throw Problem.invalid("\(name) is read-only: leave it out")
        }
        let reader = try DocumentReader(patch, known: ["id"] + self.settable)
        _ = try reader.object("history", known: self.historyFields)
        _ = try reader.object("limits", known: self.limits.map(\.name))
    }

    private static func history(_ reader: DocumentReader) throws(Problem) -> HistorySettings? {
        guard let history = try reader.object("history", known: self.historyFields) else { return nil }
        var settings = HistorySettings(count: 1_000)
        if let count = try history.integer("count", in: ChannelBounds.counts) { settings.count = count }
        if let age = try history.seconds("age_seconds", in: ChannelBounds.historyAge) { settings.age = age }
        return settings
    }

    private static func rules(_ reader: DocumentReader) throws(Problem) -> [HistoryRule] {
        var rules: [HistoryRule] = []
        for (index, element) in (try reader.array("history_rules", atMost: ChannelBounds.historyRules) ?? [])
            .enumerated()
        {
            let place = "history_rules[\(index)]"
            let rule = try DocumentReader(element, at: "\(place).", place, known: self.ruleFields)
            let wanted = "a regular expression of 1 to \(ChannelBounds.pattern) bytes that is not too costly to match"
            let pattern = try rule.text("pattern", wanted) { text in
                (1...ChannelBounds.pattern).contains(text.utf8.count) && HistoryPattern.isUsable(text)
            }
            guard let pattern else { throw rule.missing("pattern") }
            rules.append(HistoryRule(pattern: pattern, history: try self.history(rule)))
        }
        return rules
    }

    private static func origins(_ reader: DocumentReader) throws(Problem) -> [String] {
        let elements = try reader.array("allowed_origins", atMost: ChannelBounds.origins) ?? []
        var origins: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element, text.isOrigin, !origins.contains(text) else {
                throw Problem.invalid(
                    "allowed_origins[\(index)] is \(element.shown): give each origin once and as browsers send it, such as "
                        + "https://app.example, in lower case and without a path"
                )
            }
            origins.append(text)
        }
        return origins
    }

    private static func limits(_ reader: DocumentReader) throws(Problem) -> ChannelLimits {
        var limits = ChannelLimits()
        guard let object = try reader.object("limits", known: self.limits.map(\.name)) else { return limits }
        for limit in self.limits {
            limits[keyPath: limit.path] = try object.integer(limit.name, in: limit.bounds)
        }
        return limits
    }
}
