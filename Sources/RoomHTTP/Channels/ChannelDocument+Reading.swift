import RoomCore
import RoomJSON
import RoomModel

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
        if settings.history == nil, let change = patch["history"], change["count"] == nil,
            change["age_seconds"] ?? .null != .null
        {
            throw Problem.invalid(
                "history.age_seconds goes with a history, and this channel has none: give history.count, too"
            )
        }
        let merged = self.settings(settings).merged(with: patch)
        let reader = try DocumentReader(merged, known: ["id"] + self.settable)
        var changed = ChannelSettings(id: settings.id)
        for entry in ChannelSetting.entries {
            switch entry {
            case .setting(let setting): try setting.read(reader, into: &changed, known: settings.allowedOrigins)
            case .group(.history, _): changed.history = try reader.history(of: settings.id)
            case .group(.limits, let limits):
                guard let object = try reader.object(entry.name, known: limits.map(\.key)) else { continue }
                for limit in limits { try limit.read(object, into: &changed) }
            }
        }
        return changed
    }

    private static let idRule = "1 to 64 characters of A-Z a-z 0-9 _ -"

    /// A null would take a field away before anybody saw that there is none of its name.
    private static func checkNames(_ patch: JSONTree) throws(Problem) {
        for name in self.readOnly where patch[name] != nil {
            throw Problem.invalid("\(name) is read-only: leave it out")
        }
        let reader = try DocumentReader(patch, known: ["id"] + self.settable)
        for case .group(let group, let settings) in ChannelSetting.entries {
            _ = try reader.object(group.rawValue, known: settings.map(\.key))
        }
    }
}

extension ChannelSetting {
    /// Leaves `settings` as they are where the document does not have it.
    fileprivate func read(
        _ reader: DocumentReader,
        into settings: inout ChannelSettings,
        known origins: [String] = []
    ) throws(Problem) {
        switch self.form {
        case .text(let field, let bytes):
            let rule = "at most \(bytes) bytes without control characters"
            let text = try reader.text(self.key, rule) { $0.utf8.count <= bytes && !$0.hasControlCharacter }
            if let text { field.set(text, &settings) }
        case .choice(let field, let words):
            let word = try reader.text(self.key, "one of \(words.joined(separator: ", "))") { words.contains($0) }
            if let word { field.set(word, &settings) }
        case .count(let field, let bounds, _):
            if let count = try reader.integer(self.key, in: bounds) { field.set(count, &settings) }
        case .duration(let field, let bounds, _):
            if let duration = try reader.seconds(self.key, in: bounds) { field.set(duration, &settings) }
        case .historyRules(let field): field.set(try reader.historyRules(self.key, in: settings), &settings)
        case .origins(let field): field.set(try reader.origins(self.key, known: origins), &settings)
        }
    }
}

extension DocumentReader {
    /// The object `history` of a channel or of a rule, whose fields have the names and bounds of the channel's.
    ///
    /// - Parameter age: of a history that names none; `nil`: as a new channel has it.
    fileprivate func history(of id: ChannelID, age: Duration? = nil) throws(Problem) -> HistorySettings? {
        let settings = ChannelSetting.settings(of: .history)
        let name = ChannelSetting.Group.history.rawValue
        guard let object = try self.object(name, known: settings.map(\.key)) else { return nil }
        var scratch = ChannelSettings(id: id)
        if let age { scratch.history?.age = age }
        for setting in settings { try setting.read(object, into: &scratch) }
        return scratch.history
    }

    /// A rule that names no age keeps messages as long as the channel.
    fileprivate func historyRules(_ name: String, in channel: ChannelSettings) throws(Problem) -> [HistoryRule]? {
        guard let elements = try self.array(name, atMost: ChannelBounds.historyRules) else { return nil }
        var rules: [HistoryRule] = []
        for (index, element) in elements.enumerated() {
            let place = "\(name)[\(index)]"
            let rule = try DocumentReader(element, at: "\(place).", place, known: ["pattern", "history"])
            let wanted = "a regular expression of 1 to \(ChannelBounds.pattern) bytes that is not too costly to match"
            let pattern = try rule.text("pattern", wanted) { text in
                (1...ChannelBounds.pattern).contains(text.utf8.count) && HistoryPattern.isUsable(text)
            }
            guard let pattern else { throw rule.missing("pattern") }
            rules.append(
                HistoryRule(pattern: pattern, history: try rule.history(of: channel.id, age: channel.history?.age))
            )
        }
        return rules
    }

    /// - Parameter known: what the channel has already, which stays whatever an earlier version has taken.
    fileprivate func origins(_ name: String, known: [String]) throws(Problem) -> [String]? {
        guard let elements = try self.array(name, atMost: ChannelBounds.origins) else { return nil }
        var origins: [String] = []
        for (index, element) in elements.enumerated() {
            func fault(_ allowed: String) -> Problem {
                Problem.invalid("\(name)[\(index)] is \(element.shown): give \(allowed)")
            }
            guard case .string(let text) = element,
                let sent = known.contains(text) || text == ChannelBounds.anyOrigin ? text : WebOrigin.asSent(text)
            else {
                throw fault("an origin as browsers send it, such as https://app.example, or any")
            }
            guard text == sent else { throw fault("\(sent), which is what browsers send") }
            guard !origins.contains(text) else { throw fault("each origin once") }
            origins.append(text)
        }
        return origins
    }
}
