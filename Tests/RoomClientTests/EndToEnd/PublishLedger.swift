import NIOConcurrencyHelpers
import RoomClient

/// What became of every publish of a run.
final class PublishLedger: Sendable {
    struct Entry: Sendable {
        let room: String
        let text: String
        /// Whoever published it waited for the one before.
        let lane: String
        let receipt: PublishReceipt
    }

    private struct State {
        var acknowledged: [Entry] = []
        var cancelled: Set<String> = []
        var failures: [String] = []
    }

    /// How many are acknowledged.
    let progress = Progress()
    private let state = NIOLockedValueBox(State())

    var acknowledged: [Entry] { self.state.withLockedValue(\.acknowledged) }
    /// Texts that may be stored or not.
    var cancelled: Set<String> { self.state.withLockedValue(\.cancelled) }
    /// Publishes that ended as none should.
    var failures: [String] { self.state.withLockedValue(\.failures) }

    /// Publishes and notes how that ended.
    func publish(_ text: String, lane: String, with client: RoomClient, to room: String) async {
        do {
            let receipt = try await client.publish(text, to: room)
            let entry = Entry(room: room, text: text, lane: lane, receipt: receipt)
            self.state.withLockedValue { $0.acknowledged.append(entry) }
            self.progress.advance()
        } catch {
            self.state.withLockedValue { state in
                if error.code == .cancelled {
                    state.cancelled.insert(text)
                } else {
                    state.failures.append("\(text.prefix(40)): \(error)")
                }
            }
        }
    }
}
