import RoomTestKit

/// What all clients of a simulated run have seen, so that any two of them can be held against each other.
final class Ledger {
    struct Log: Hashable {
        var channel: String
        var room: String
        var epoch: String
    }

    struct Entry: Equatable {
        var id: String
        var message: String
    }

    private(set) var logs: [Log: [Int: Entry]] = [:]
    private var places: [Log: [String: Int]] = [:]
    private(set) var violations: [String] = []
    private(set) var frames = 0
    private var trace: [String] = []

    /// One step of the run, for the trace of a failure.
    func note(_ step: @autoclosure () -> String) {
        self.trace.append(step())
        if self.trace.count > 40 { self.trace.removeFirst(20) }
    }

    func check(_ holds: Bool, _ complaint: @autoclosure () -> String) {
        guard !holds, self.violations.count < 10 else { return }
        if self.violations.isEmpty { self.violations += self.trace.suffix(20).map { "    \($0)" } }
        self.violations.append(complaint())
    }

    func counted() { self.frames += 1 }

    /// Somebody has seen this message at this place of this log.
    func saw(_ log: Log, seq: Int, id: String, message: String, by reader: String) {
        let entry = Entry(id: id, message: message)
        if let known = self.logs[log]?[seq] {
            self.check(known == entry, "\(reader) saw \(entry) as \(log) \(seq), another one \(known)")
            return
        }
        if let place = self.places[log]?[message] {
            self.check(false, "\(reader) saw \(message) twice in \(log): \(place) and \(seq)")
        }
        self.logs[log, default: [:]][seq] = entry
        self.places[log, default: [:]][message] = seq
        self.checkNeighbours(of: seq, in: log)
    }

    private func checkNeighbours(of seq: Int, in log: Log) {
        guard let entries = self.logs[log], let entry = entries[seq] else { return }
        if let before = entries[seq - 1] {
            self.check(before.id < entry.id, "\(log): the id of \(seq) is not above that of \(seq - 1)")
        }
        if let after = entries[seq + 1] {
            self.check(entry.id < after.id, "\(log): the id of \(seq + 1) is not above that of \(seq)")
        }
    }
}
