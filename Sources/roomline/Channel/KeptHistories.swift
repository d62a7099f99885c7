import RoomAdmin
import RoomJSON
import RoomModel

/// The messages that the rooms of a channel keep, by its history and its rules.
struct KeptHistories {
    /// The settings that say it.
    static let settings = ["history", "history_rules"]

    /// A rule; without a pattern, what rooms keep that match none.
    private struct Choice {
        let pattern: String?
        let kept: HistorySettings?
    }

    /// The first one whose pattern a room matches counts.
    private let choices: [Choice]

    /// - Parameter fields: a change of the channel's settings, as the API takes it.
    init(_ channel: AdminChannel, changedBy fields: [JSONTree.Field] = []) {
        let kept = Self.settings.map { JSONTree.Field($0, channel[$0] ?? .null) }
        let settings = JSONTree.object(kept).merged(with: .object(fields))
        let usual = HistorySettings(settings["history"])
        let rules = (settings["history_rules"]?.elements ?? []).map { rule in
            Choice(pattern: rule["pattern"]?.string, kept: HistorySettings(rule["history"], age: usual?.age))
        }
        self.choices = rules + [Choice(pattern: nil, kept: usual)]
    }

    /// Whether a room may keep less than before. Each pattern is taken for one that may match any room.
    func mayKeepLess(than old: KeptHistories) -> Bool {
        old.choices.contains { was in
            self.choices.contains { now in
                HistorySettings.isLess(now.kept, than: was.kept) && old.mayChoose(was, over: now)
                    && self.mayChoose(now, over: was)
            }
        }
    }

    /// Whether a room that both match may get the first one.
    private func mayChoose(_ one: Choice, over other: Choice) -> Bool {
        guard let before = self.choices.firstIndex(where: { $0.pattern == other.pattern }) else { return true }
        return self.choices.firstIndex { $0.pattern == one.pattern }.map { $0 <= before } ?? false
    }
}

extension HistorySettings {
    /// `nil` where nothing is kept; a field that is missing has its default.
    fileprivate init?(_ tree: JSONTree?, age: Duration? = nil) {
        guard let tree, tree != .null else { return nil }
        self.init()
        self.age = age ?? self.age
        if let count = tree["count"]?.integer { self.count = count }
        if let seconds = tree["age_seconds"]?.seconds { self.age = .seconds(seconds) }
    }

    fileprivate static func isLess(_ new: HistorySettings?, than old: HistorySettings?) -> Bool {
        guard let old else { return false }
        return new.map { $0.count < old.count || $0.age < old.age } ?? true
    }
}
