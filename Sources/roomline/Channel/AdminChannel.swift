import RoomAdmin
import RoomJSON
import RoomModel

extension AdminChannel {
    /// The word of a setting that has one.
    func word(_ name: String) -> String { self[name]?.string ?? "" }

    /// Whether some rooms keep something else than the channel says.
    var hasHistoryRules: Bool { self["history_rules"]?.elements.isEmpty == false }
}

extension AdminChannel.History {
    /// `1000 messages, 30d`
    var text: String {
        "\(Counted.text(self.count, "message")), \(ShownTime.duration(seconds: self.ageSeconds))"
    }
}

extension AdminChannel.History? {
    var text: String { self?.text ?? "off" }
}
