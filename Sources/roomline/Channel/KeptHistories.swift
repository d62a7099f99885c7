import RoomAdmin
import RoomJSON
import RoomModel

/// The messages that the rooms of a channel keep, by its history and its rules.
struct KeptHistories {
    /// The settings that say it.
    static let settings = ["history", "history_rules"]

    private let usual: HistorySettings?
    private let rules: [HistoryRule]

    /// - Parameter fields: a change of the channel's settings, as the API takes it.
    init(_ channel: AdminChannel, changedBy fields: [JSONTree.Field] = []) {
        let kept = Self.settings.map { JSONTree.Field($0, channel[$0] ?? .null) }
        let settings = JSONTree.object(kept).merged(with: .object(fields))
        self.usual = HistorySettings(settings["history"])
        self.rules = (settings["history_rules"]?.elements ?? []).map {
            HistoryRule(pattern: $0["pattern"]?.string ?? "", history: HistorySettings($0["history"]))
        }
    }

    /// Whether a room may keep less than before. A rule counts as if it matched any room.
    func mayKeepLess(than old: KeptHistories) -> Bool {
        if HistorySettings.isLess(self.usual, than: old.usual) { return true }
        return self.rules.difference(from: old.rules).contains { change in
            switch change {
            case .insert(_, let rule, _): old.all.contains { HistorySettings.isLess(rule.history, than: $0) }
            case .remove(_, let rule, _): self.all.contains { HistorySettings.isLess($0, than: rule.history) }
            }
        }
    }

    private var all: [HistorySettings?] { [self.usual] + self.rules.map(\.history) }
}

extension HistorySettings {
    /// `nil` where nothing is kept; a field that is missing has its default.
    fileprivate init?(_ tree: JSONTree?) {
        guard let tree, tree != .null else { return nil }
        self.init()
        if let count = tree["count"]?.integer { self.count = count }
        if let seconds = tree["age_seconds"]?.seconds { self.age = .seconds(seconds) }
    }

    fileprivate static func isLess(_ new: HistorySettings?, than old: HistorySettings?) -> Bool {
        guard let old else { return false }
        return new.map { $0.count < old.count || $0.age < old.age } ?? true
    }
}
