import RoomAdmin
import RoomJSON
import RoomModel

extension AdminChannel {
    /// The word of a setting that has one.
    func word(_ name: String) -> String { self[name]?.string ?? "" }

    /// Whether any room keeps messages.
    var keepsHistory: Bool {
        self["history"] != nil || (self["history_rules"]?.elements ?? []).contains { $0["history"] != .null }
    }
}

extension AdminChannel.History? {
    /// `1000 messages, 30d`
    var text: String {
        self.map { "\(Counted.text($0.count, "message")), \(ShownTime.duration(seconds: $0.ageSeconds))" } ?? "off"
    }
}
