import Foundation
import RoomClient

/// Events from the system: time, signals, plain input.
extension ChatSession {
    func tick(now: ContinuousClock.Instant) {
        let earlier = self.typing.text
        self.typing.expire(now: now)
        self.delivery.tick()
        self.endIfSettled()
        if earlier != self.typing.text { self.refresh() }
    }

    func signaled(_ number: Int32) {
        switch number {
        case SIGWINCH: self.write { (console) throws(StandardOutput.Closed) in try console.resize() }
        case SIGCONT: self.write { (console) throws(StandardOutput.Closed) in try console.resume() }
        case SIGTSTP: self.suspend()
        case SIGINT: self.leave()
        default: self.end(.left)
        }
    }

    /// Lines that somebody types into a terminal that has no prompt of ours.
    func readLines(_ input: StandardInput) async {
        var lines = InputLines(limit: 32 * 1024)
        while let bytes = await input.next() {
            for case .text(let line) in lines.add(bytes) { self.entered(line) }
        }
        if case .text(let line)? = lines.finish() { self.entered(line) }
        if !Task.isCancelled { self.leave() }
    }

    /// The outcome of a line of the input that is a message as it is.
    func settled(line: Int, _ outcome: LinePublisher.Outcome) {
        self.delivery.submitted()
        switch outcome {
        case .success(let receipt): self.delivery.settled(seq: receipt.seq)
        case .failure(let refusal):
            self.delivery.settled(seq: nil)
            CommandFailure.say("line \(line): \(refusal.text)")
        }
    }
}
