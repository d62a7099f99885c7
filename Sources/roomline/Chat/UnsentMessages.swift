/// The user's messages that no broker has acknowledged when the chat ends. Pure.
struct UnsentMessages: Equatable, Sendable {
    private static let mostShown = 20

    /// In their order.
    private let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var isEmpty: Bool { self.texts.isEmpty }

    /// What to say of them, the messages themselves below it.
    ///
    /// - Parameter code: what the chat ends with.
    func failure(_ code: CommandFailure.Code) -> CommandFailure {
        let hidden = self.texts.count - Self.mostShown
        return CommandFailure(
            code: code,
            text: "\(self.texts.count) of your messages may be lost: "
                + "\(self.texts.count == 1 ? "it was" : "they were") not acknowledged",
            details: Array(self.texts.prefix(Self.mostShown)) + (hidden > 0 ? ["and \(hidden) more"] : [])
        )
    }
}
