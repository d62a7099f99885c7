import RoomTestKit

/// What one simulated client knows of one room, and whether what it is sent next may come.
struct SeenRoom {
    let log: Ledger.Log
    /// The newest message that it has.
    private(set) var last: Int
    /// What has to have come once all is quiet.
    private(set) var target: Int
    /// A subscribe was answered with `recovered` false: the gap has to be the first to come.
    private var owesGap = false
    private var historyIndex = 0
    /// It was sent all messages behind this one, or told why not. A subscribe with an older position brings them again.
    private var completeAfter: Int
    /// Messages that did not come; each has to be one that its own connection published without echo.
    private(set) var holes: [Int] = []
    /// What came last, for the report of a failure.
    private(set) var recent: [String] = []
    /// Messages that it knows to be redacted.
    private var redacted: Set<Int> = []
    /// In rooms that show them, once they were told.
    private(set) var members: Set<String>?
    /// It was told them, or how many they are.
    private var wasListed = false
    /// Whether it asks to be shown them; `nil`: only the broker knows, as it was before on another connection.
    var asksPresence: Bool?

    init(log: Ledger.Log, last: Int) {
        self.log = log
        self.last = last
        self.target = last
        self.completeAfter = last
    }

    /// The view of a subscriber, from the reply to its subscribe.
    init(_ reply: ReceivedFrame, channel: String, room: String, since: SeenRoom?, ledger: Ledger) {
        let (epoch, seq) = (reply.text("epoch") ?? "", reply.seq ?? -1)
        ledger.check(seq >= 0 && epoch.count == 16, "a subscribe reply without position: \(reply)")
        self.init(log: Ledger.Log(channel: channel, room: room, epoch: epoch), last: seq)
        guard let since else {
            ledger.check(reply.flag("recovered") == nil, "recovered without since: \(reply)")
            return
        }
        let recovered = reply.flag("recovered")
        ledger.check(recovered != nil, "a reply to since without recovered: \(reply)")
        self.owesGap = recovered == false
        if since.log.epoch == epoch, since.last <= seq {
            self.last = since.last
            self.completeAfter = since.last
            self.redacted = since.redacted
        } else {
            ledger.check(recovered == false, "recovered in another log: \(reply) from \(since.log) \(since.last)")
            self.last = 0
            self.completeAfter = 0
        }
    }

    /// The reply to another subscribe, while it was in the room.
    ///
    /// - Returns: false where the room has another log now.
    mutating func renew(_ reply: ReceivedFrame, since: SeenRoom?, by reader: String, ledger: Ledger) -> Bool {
        guard reply.text("epoch") == self.log.epoch else { return false }
        let seq = reply.seq ?? -1
        ledger.check(seq >= self.last, "\(reader) was answered \(seq) behind \(self.last): \(reply)")
        ledger.check((reply.flag("recovered") == nil) == (since == nil), "\(reader) got \(reply)")
        self.historyIndex = 0
        self.members = nil
        self.wasListed = false
        if let since, since.log == self.log, since.last < self.completeAfter {
            self.owesGap = reply.flag("recovered") == false
            self.last = since.last
            self.completeAfter = since.last
        } else {
            let isComplete = since.map { $0.log == self.log } ?? true
            ledger.check(!isComplete || reply.flag("recovered") != false, "\(reader) lost what it had: \(reply)")
            if seq > self.last { self.holes += (self.last + 1)...seq }
            self.last = max(self.last, seq)
        }
        self.target = max(self.target, seq)
        return true
    }

    mutating func saw(_ frame: ReceivedFrame, by reader: String, ledger: Ledger) {
        self.recent.append(frame.summary)
        if self.recent.count > 20 { self.recent.removeFirst(10) }
        if frame.type?.hasPrefix("observable_") ?? false {
            let isShown = self.asksPresence != false || self.log.room.hasPrefix("observable")
            ledger.check(isShown || !ledger.showsOnRequest, "\(reader) did not ask for \(frame)")
        }
        switch frame.type {
        case "publish", "message_redacted": self.sawMessage(frame, reader, ledger)
        case "room_cleared": self.sawNewLog(frame, last: 0)
        case "history_message": self.sawHistory(frame, reader, ledger)
        case "gap": self.sawGap(frame, reader, ledger)
        case "observable_members":
            self.wasListed = true
            self.members =
                frame.flag("truncated") == true ? nil : Set(frame.list("data")?.compactMap { $0.text("id") } ?? [])
        case "observable_member_join": self.change(frame) { $0.insert($1).inserted }
        case "observable_member_leave": self.change(frame) { $0.remove($1) != nil }
        default: break
        }
    }

    /// The reply to a question for the members.
    func check(_ reply: ReceivedFrame, by reader: String, ledger: Ledger) {
        ledger.check(self.wasListed, "\(reader) was never told the members of \(self.log)")
        guard let members else { return }
        let truth = Set(reply.list("members")?.compactMap { $0.text("id") } ?? [])
        ledger.check(
            members == truth,
            "\(reader) sees in \(self.log) besides the members \(members.subtracting(truth)), and not \(truth.subtracting(members))"
        )
    }

    private mutating func change(_ frame: ReceivedFrame, _ change: (inout Set<String>, String) -> Bool) {
        guard let id = frame.object("data")?.text("id"), var members = self.members else { return }
        _ = change(&members, id)
        self.members = members
    }

    private mutating func sawMessage(_ frame: ReceivedFrame, _ reader: String, _ ledger: Ledger) {
        guard let seq = frame.seq else { return }
        ledger.check(!self.owesGap, "\(reader) got a message before the gap: \(frame)")
        ledger.check(seq > self.last, "\(reader) got \(seq) of \(self.log) again, behind \(self.last)")
        if seq > self.last + 1 { self.holes += (self.last + 1)..<seq }
        self.last = max(self.last, seq)
        self.target = max(self.target, seq)
        self.enter(frame, seq, reader, ledger)
    }

    private mutating func enter(_ frame: ReceivedFrame, _ seq: Int, _ reader: String, _ ledger: Ledger) {
        var message: String?
        if let target = frame.number("target_seq") {
            ledger.check(target < seq, "\(reader) was told a redaction before its message: \(frame)")
            self.redacted.insert(target)
            message = "redaction of \(target)"
        } else if frame.flag("redacted") != true {
            ledger.check(!self.redacted.contains(seq), "\(reader) saw again what it knew to be redacted: \(frame)")
            message = frame.message ?? frame.line
        }
        ledger.saw(self.log, seq: seq, id: frame.text("id") ?? "", message: message, by: reader)
    }

    private mutating func sawHistory(_ frame: ReceivedFrame, _ reader: String, _ ledger: Ledger) {
        let (seq, index) = (frame.seq ?? -1, frame.number("index"))
        ledger.check(index == self.historyIndex, "\(reader) got history out of turn: \(frame)")
        ledger.check(seq <= self.target, "\(reader) got history from the future: \(frame)")
        if index == 0 { self.completeAfter = min(self.completeAfter, seq - 1) }
        self.historyIndex += 1
        self.enter(frame, seq, reader, ledger)
    }

    private mutating func sawGap(_ frame: ReceivedFrame, _ reader: String, _ ledger: Ledger) {
        let (from, through) = (frame.number("from_seq") ?? -1, frame.number("to_seq") ?? -1)
        if ["epoch", "cleared"].contains(frame.text("reason")) {
            self.sawNewLog(frame, last: through)
            return
        }
        // what it has published without echo it can miss before it lags
        let isNext = from == self.last + 1 || !self.owesGap && from > self.last
        ledger.check(isNext, "\(reader) was told a gap from \(from) behind \(self.last): \(frame)")
        if from > self.last + 1 { self.holes += (self.last + 1)..<from }
        self.owesGap = false
        ledger.check(through >= from, "\(reader) was told an empty gap: \(frame)")
        if ["expired", "trimmed"].contains(frame.text("reason")), through >= from {
            let served = ledger.served(self.log, from...through)
            ledger.check(served.isEmpty, "\(reader) was told that \(served) are gone, and they are there: \(frame)")
        }
        self.completeAfter = through
        self.last = max(self.last, through)
        self.target = max(self.target, through)
    }

    private mutating func sawNewLog(_ frame: ReceivedFrame, last: Int) {
        let log = Ledger.Log(channel: self.log.channel, room: self.log.room, epoch: frame.text("epoch") ?? "")
        // only the position that it has asked for was of another log
        if log == self.log, last <= self.last {
            self.owesGap = false
            return
        }
        let before = self
        self = SeenRoom(log: log, last: last)
        (self.members, self.wasListed, self.asksPresence) = (before.members, before.wasListed, before.asksPresence)
    }
}
