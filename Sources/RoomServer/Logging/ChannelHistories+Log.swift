import Logging
import RoomModel

extension Logger {
    /// The most channels that the line names.
    private static let mostNamed = 20

    /// Says which channels keep nothing.
    func tell(ofSilent channels: [ChannelSettings]) {
        if channels.isEmpty { return }
        let others = channels.count - Self.mostNamed
        let names = channels.prefix(Self.mostNamed).map(\.id.text).joined(separator: " ")
        var metadata: Metadata = ["channels": "\(names)"]
        if others > 0 { metadata["others"] = "\(others)" }
        self.notice("channels keep no history: who is away does not get what is published there", metadata: metadata)
    }
}

extension ChannelSettings {
    /// What a room keeps that no rule names: `1000 messages, 30d`.
    var historyText: String {
        self.history.map {
            let age = UnitScale.milliseconds.format(Int($0.age.wholeMilliseconds))
            return "\(Counted.text($0.count, "message")), \(age)"
        } ?? "off"
    }
}
