import NIOConcurrencyHelpers
import RoomClient

/// What became of every publish of a run.
final class PublishLedger: Sendable {
    struct Entry: Sendable {
        let room: String
        let text: String
        /// Its messages have the order in which they were published.
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
            self.acknowledged(
                Entry(room: room, text: text, lane: lane, receipt: try await client.publish(text, to: room))
            )
        } catch {
            self.ended(text, error)
        }
    }

    /// Publishes all at once, in this order.
    func publish(together texts: [String], lane: String, with client: RoomClient, to room: String) async {
        let pending = texts.map { text in (try? JSON(encoding: text)).map { client.startPublishing($0, to: room) } }
        for (text, pending) in zip(texts, pending) {
            do {
                guard let receipt = try await pending?.value() else { return }
                self.acknowledged(Entry(room: room, text: text, lane: lane, receipt: receipt))
            } catch {
                self.ended(text, error)
            }
        }
    }

    private func acknowledged(_ entry: Entry) {
        self.state.withLockedValue { $0.acknowledged.append(entry) }
        self.progress.advance()
    }

    private func ended(_ text: String, _ error: RoomClientError) {
        self.state.withLockedValue { state in
            if error.code == .cancelled {
                state.cancelled.insert(text)
            } else {
                state.failures.append("\(text.prefix(40)): \(error)")
            }
        }
    }
}
