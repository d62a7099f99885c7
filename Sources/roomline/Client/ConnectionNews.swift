import RoomClient

/// The news of the connection for a person: that it is lost, once, and that it is back. Pure.
struct ConnectionNews: Sendable {
    /// The present trouble, for a place where it can be changed again.
    private(set) var trouble: String?
    private var isDown = false

    /// - Returns: a line, where there is something new.
    mutating func changed(to state: ConnectionState) -> String? {
        switch state {
        case .idle: return nil
        case .connecting:
            if self.isDown { self.trouble = "connecting…" }
            return nil
        case .connected:
            defer { self.isDown = false }
            self.trouble = nil
            return self.isDown ? "back" : nil
        case .waiting(let pause, let error):
            defer { self.isDown = true }
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            self.trouble = "reconnecting in \(seconds) s"
            let reason = error.code == .shuttingDown ? "the broker was stopped" : "connection lost"
            return self.isDown ? nil : "\(reason), back in \(seconds) s…"
        case .closed(let error):
            self.trouble = error == nil ? nil : "disconnected"
            return error.map { "the connection is over: \($0.message)" }
        }
    }
}

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
