import Dispatch
import Foundation

/// Waits for a descriptor on a thread of its own, in a way that can be cancelled.
final class Readiness: Sendable {
    private let descriptor: Int32
    private let events: Int16
    private let queue: DispatchQueue
    /// A byte in this pipe wakes a wait that nobody waits for any more.
    private let wakeUp: (reader: Int32, writer: Int32)

    /// - Parameter events: of `poll`; none: only that the other side has gone.
    init(of descriptor: Int32, events: Int32) {
        self.descriptor = descriptor
        self.events = Int16(events)
        self.queue = DispatchQueue(label: "readiness of \(descriptor)")
        var ends: [Int32] = [-1, -1]
        // Without the pipe, waiting works and only cannot be cancelled.
        _ = pipe(&ends)
        self.wakeUp = (ends[0], ends[1])
    }

    deinit {
        _ = close(self.wakeUp.reader)
        _ = close(self.wakeUp.writer)
    }

    /// - Returns: whether it is ready, or broken; not so in a cancelled task.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.queue.async { continuation.resume(returning: self.poll()) }
            }
        } onCancel: {
            _ = write(self.wakeUp.writer, "x", 1)
        }
    }

    private func poll() -> Bool {
        var polled = [
            pollfd(fd: self.descriptor, events: self.events, revents: 0),
            pollfd(fd: self.wakeUp.reader, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = Foundation.poll(&polled, 2, -1)
            if polled[1].revents != 0 || (count < 0 && errno != EINTR) { return false }
            if polled[0].revents != 0 { return true }
        }
    }
}
