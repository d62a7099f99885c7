import Dispatch
import GRDB

/// Ends a long read of a database that others write to, before the `-wal`, which cannot begin anew while there is a reader,
/// has grown too far.
final class LogWatch {
    /// As far as the broker lets its own check go.
    private static let mostBytes: Int64 = 256 << 20

    private let timer: any DispatchSourceTimer

    init(_ path: String, _ database: DatabaseQueue) {
        self.timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "roomline.log-watch"))
        self.timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
        self.timer.setEventHandler {
            // One that is not there is not long.
            let bytes = (try? PrivateFile.size(path + "-wal")) ?? 0
            if bytes > Self.mostBytes { database.interrupt() }
        }
        self.timer.resume()
    }

    func stop() {
        self.timer.cancel()
    }
}
