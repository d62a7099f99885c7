import Foundation
import RoomClient

/// Holds what readers and publishers of a chaos run have got against the broker's history.
struct ChaosVerdict {
    private let histories: [String: [StoredMessage]]
    private let acknowledged: [String: [PublishLedger.Entry]]
    private let cancelled: Set<String>

    init(_ ledger: PublishLedger, _ histories: [String: [StoredMessage]]) {
        self.histories = histories
        self.acknowledged = Dictionary(grouping: ledger.acknowledged, by: \.room)
        self.cancelled = ledger.cancelled
    }

    // MARK: Publishers

    /// Acknowledgements that the history does not bear out.
    var violations: [String] { self.histories.keys.sorted().flatMap { self.violations(in: $0) } }

    private func violations(in room: String) -> [String] {
        let history = self.histories[room] ?? []
        let entries = self.acknowledged[room] ?? []
        let stored = Dictionary(grouping: history, by: \.text)
        var violations: [String] = []
        var lanes: [String: UInt64] = [:]
        for entry in entries {
            let expected = entry.seq < history.first?.seq ?? 0 ? [] : [StoredMessage(entry)]
            let found = stored[entry.text] ?? []
            if found != expected { violations.append("\(room): \(entry.receipt) is \(found.map(\.seq))") }
            if entry.seq <= lanes[entry.lane, default: 0] { violations.append("\(room): \(entry.lane) out of order") }
            lanes[entry.lane] = entry.seq
        }
        let known = Set(entries.map(\.text))
        for (text, places) in stored where !known.contains(text) {
            // A cancelled publish may be there, once.
            if places.count > 1 || !self.cancelled.contains(text) {
                violations.append("\(room): \(text.prefix(40)) is there \(places.count) times")
            }
        }
        return violations
    }

    /// Rooms whose history is not complete.
    var holes: [String] {
        self.histories.filter { _, history in
            history.enumerated().contains { $0.element.seq != $0.offset + 1 }
        }
        .keys.sorted()
    }

    // MARK: Readers

    /// What a reader has that the history has not, or the other way round, in short.
    func difference(_ reading: ChaosReading) -> String? {
        let (heard, history) = (reading.messages, self.histories[reading.room] ?? [])
        if heard == history { return nil }
        let (heardSeqs, seqs) = (heard.map(\.seq), history.map(\.seq))
        let missing = Set(seqs).subtracting(heardSeqs).sorted().prefix(10)
        let extra = Set(heardSeqs).subtracting(seqs).sorted().prefix(10)
        let first = zip(heard, history).enumerated().first { $0.element.0 != $0.element.1 }
        return """
            \(heard.count) of \(history.count), missing \(missing), extra \(extra), \
            first difference at \(first.map { "\($0.offset)" } ?? "the end")
            """
    }

    /// Messages that nobody has published so, or out of order.
    func forgeries(_ reading: ChaosReading) -> [StoredMessage] {
        let known = Set((self.acknowledged[reading.room] ?? []).map { StoredMessage($0) })
        var last: UInt64 = 0
        return reading.messages.filter { message in
            defer { last = message.seq }
            return message.seq <= last || (!known.contains(message) && !self.cancelled.contains(message.text))
        }
    }

    /// What of the room's log neither came nor was told as missing, or more than once.
    func coverage(_ reading: ChaosReading) -> String? {
        var told = Set(reading.messages.map(\.seq))
        var twice: [UInt64] = []
        for gap in reading.gaps {
            guard let seqs = gap.seqs else { return "\(gap)" }
            for seq in seqs where !told.insert(seq).inserted { twice.append(seq) }
        }
        let end = reading.messages.last?.seq ?? 0
        let missing = (1...max(end, 1)).filter { !told.contains($0) }
        return missing.isEmpty && twice.isEmpty ? nil : "missing \(missing.prefix(10)), twice \(twice.prefix(10))"
    }
}

extension PublishLedger.Entry {
    var seq: UInt64 { self.receipt.seq ?? 0 }
}

extension StoredMessage {
    fileprivate init(_ entry: PublishLedger.Entry) {
        self.init(seq: entry.seq, id: entry.receipt.id.uuidString.lowercased(), text: entry.text)
    }
}
