import RoomClient

/// Tells people on standard error about the connection, for commands whose output is for programs.
enum ConnectionWatch {
    /// Until the client is closed or the task is cancelled.
    static func report(_ client: RoomClient) async {
        var news = ConnectionNews()
        for await state in client.connectionState {
            // That the connection is over is told as why the command fails.
            if case .closed = state { return }
            if let line = news.changed(to: state) { CommandFailure.say(line) }
        }
    }
}
