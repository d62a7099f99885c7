import RoomModel
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
        /// `nil`: all that was seen of it is a tombstone.
        var message: String?
    }

    private(set) var logs: [Log: [Int: Entry]] = [:]
    private var places: [Log: [String: Int]] = [:]
    private(set) var violations: [String] = []
    private(set) var frames = 0
    /// Messages in the order in which somebody first saw them, without those of an export.
    private(set) var messages: [(log: Log, seq: Int, id: String)] = []
    /// Ids and places that somebody wanted redacted.
    private var wantedIDs: Set<String> = []
    private var wantedPlaces: Set<String> = []
    /// Ids of messages that are redacted, as was answered.
    private(set) var redacted: Set<String> = []
    /// Messages of rooms with history that were acknowledged, by who was told.
    private(set) var acknowledged: [UniqueID: String] = [:]
    /// Whether a message of this channel is stored, or was; it is asked for each that somebody sees or has acknowledged.
    var isStored: (_ channel: String, UniqueID) -> Bool = { _, _ in true }
    /// Which of these messages of a log its readers still find in the store; it is asked of each gap that says that they are gone.
    var served: (Log, ClosedRange<Int>) -> [Int] = { _, _ in [] }
    /// Channels show the members of all rooms to those who ask, at all times.
    var showsOnRequest = false
    /// Nothing is under way any more: nobody gets to see the text of what is redacted.
    var isQuiet = false
    /// Messages that nobody may ever see, by why.
    var forbidden: [String: String] = [:]
    /// Messages that were sent again. One whose log was lost meanwhile is in two logs.
    var sentAgain: Set<String> = []
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

    /// A message is to be redacted.
    func wants(redacted id: String) { self.wantedIDs.insert(id) }

    func wants(redacted seq: Int, of room: String, in channel: String) {
        self.wantedPlaces.insert("\(channel)/\(room)/\(seq)")
    }

    func wasRedacted(_ id: String) { self.redacted.insert(id) }

    /// A crash has cost the redaction of this message.
    func lostRedaction(of id: String) { self.redacted.remove(id) }

    /// A publish with a place in the log was answered.
    func wasAcknowledged(_ id: String, in channel: String, to publisher: String) {
        guard let id = UniqueID(id.utf8) else {
            self.check(false, "\(publisher) was answered without an id")
            return
        }
        self.check(self.isStored(channel, id), "\(publisher) was answered \(id), which is not stored")
        self.acknowledged[id] = publisher
    }

    /// A crash has cost these messages, and was allowed to.
    func lost(_ ids: Set<UniqueID>) {
        for id in ids { self.acknowledged[id] = nil }
    }

    private func check(_ log: Log, _ seq: Int, _ entry: Entry, by reader: String) {
        // what has become of the original since it was exported is not told of the copy
        if Simulation.isImport(log.room) { return }
        if entry.message == nil {
            let isWanted =
                self.wantedIDs.contains(entry.id) || self.wantedPlaces.contains("\(log.channel)/\(log.room)/\(seq)")
            self.check(isWanted, "\(reader) saw a tombstone of what nobody has redacted: \(log) \(seq)")
        } else {
            let isShown = self.isQuiet && self.redacted.contains(entry.id)
            self.check(!isShown, "\(reader) saw what was redacted long ago: \(log) \(seq)")
        }
    }

    /// Somebody has seen this message, or its tombstone, or a redaction, at this place of this log.
    func saw(_ log: Log, seq: Int, id: String, message: String?, by reader: String) {
        let entry = Entry(id: id, message: message)
        if let message, let why = self.forbidden[message] {
            self.check(false, "\(reader) saw \(message) in \(log): \(why)")
        }
        self.check(log, seq, entry, by: reader)
        let isStored = UniqueID(id.utf8).map { self.isStored(log.channel, $0) } ?? false
        self.check(isStored, "\(reader) saw what is not stored: \(log) \(seq)")
        let known = self.logs[log]?[seq]
        if let known {
            let isSame = known.id == id && (message == nil || known.message == nil || known.message == message)
            self.check(isSame, "\(reader) saw \(entry) as \(log) \(seq), another one \(known)")
        } else if !Simulation.isImport(log.room) {
            self.messages.append((log, seq, id))
        }
        guard let message, known?.message == nil else {
            if known == nil { self.enter(entry, seq, log) }
            return
        }
        if let place = self.places[log]?[message] {
            self.check(false, "\(reader) saw \(message) twice in \(log): \(place) and \(seq)")
        }
        self.places[log, default: [:]][message] = seq
        self.enter(entry, seq, log)
    }

    /// Where this message is in the logs that have it.
    func places(of message: String) -> [(log: Log, seq: Int)] {
        self.places.compactMap { log, places in places[message].map { (log, $0) } }
    }

    private func enter(_ entry: Entry, _ seq: Int, _ log: Log) {
        self.logs[log, default: [:]][seq] = entry
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
