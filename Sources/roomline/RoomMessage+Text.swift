import RoomClient

extension RoomMessage {
    /// The text of a message that is one; of another its JSON.
    var shownText: String { self.text ?? self.json.description }
}

extension RoomGap {
    /// For people.
    var text: String {
        guard let seqs = self.seqs else {
            return
                "messages may be lost: the room's history is another one now (\(TerminalText.line(self.reason.rawValue)))"
        }
        let others = seqs.upperBound - seqs.lowerBound
        let messages = others == 0 ? "1 message is" : "\(others &+ 1) messages are"
        return "\(messages) lost (\(TerminalText.line(self.reason.rawValue)))"
    }
}
