/// Why the chat is over.
enum ChatEnding: Sendable {
    /// The user has left, or the terminal has gone.
    case left
    case failed(CommandFailure)

    /// - Parameters:
    ///   - ending: waits for the end.
    ///   - sources: carry everything that can happen to the chat; they are cancelled when it ends.
    static func reached(
        by ending: @escaping @Sendable () async -> ChatEnding,
        during sources: [@Sendable () async -> Void]
    ) async -> ChatEnding {
        await withTaskGroup(of: Void.self) { group in
            for source in sources { group.addTask { await source() } }
            let ending = await ending()
            group.cancelAll()
            return ending
        }
    }
}
