import RoomTestKit

/// A client of a simulated run: what it asked, what it knows, and a check of every frame that it gets.
final class SimulatedClient {
    let name: String
    let channel: String
    let address: String
    private let ledger: Ledger
    private(set) var connection: TestConnection?
    private(set) var clientID: String?
    private(set) var token: String?
    /// By the token that it has shown on this connection.
    private(set) var user: String?
    /// When the token ends that it has shown last, in Unix seconds; `nil`: nobody knows, or there is none.
    private(set) var tokenEnd: Int64?
    /// How often its channel has changed.
    private var changes = 0
    /// Tokens of sessions that were ended by a moderator.
    var revoked: Set<String> = []
    /// The newest message when it was banned from a room: on this connection no newer one may come.
    var bannedAfter: [String: Int] = [:]
    private(set) var isOpen = false
    /// The rooms that it is in, and those that it was in: where it left off.
    private(set) var views: [String: SeenRoom] = [:]
    private(set) var left: [String: SeenRoom] = [:]
    private var pending: [Int: SimulatedRequest] = [:]
    /// Lists of members that have come before the reply to a subscribe, as they do by WebSocket and as events.
    private var earlyLists: [String: ReceivedFrame] = [:]
    private(set) var unacknowledged: [SimulatedRequest.Publication] = []
    /// `seq` by room of what it published without echo on this connection.
    private var silent: [String: Set<Int>] = [:]
    /// Messages that it did not want to get back, of which it was told that nobody knows whether they are stored.
    private var unknown: Set<String> = []
    /// It has sent its FIN and sends nothing more.
    private(set) var hasEnded = false

    init(name: String, channel: String, address: String, ledger: Ledger) {
        self.name = name
        self.address = address
        self.channel = channel
        self.ledger = ledger
    }

    // MARK: Asking

    func connect(_ connection: TestConnection, resumable: Bool) {
        self.connection = connection
        let earlier = self.token
        let resume = self.token.map { ",\"resume\":\"\($0)\"" } ?? ""
        self.token = nil
        self.ask(
            .handshake(resumed: earlier),
            "\"type\":\"handshake\",\"channel\":\"\(self.channel)\"\(resume)\(resumable ? ",\"resumable\":true" : "")"
        )
    }

    /// - Parameter since: where to begin; `nil`: where it left off.
    func subscribe(_ room: String, options: String, since: SeenRoom? = nil, presence: Bool? = nil) {
        // by WebSocket, the list of members comes before the reply
        if presence == true { self.views[room]?.asksPresence = nil }
        let since = since ?? self.left[room]
        let position =
            since.map { ",\"since\":{\"epoch\":\"\($0.log.epoch)\",\"seq\":\($0.last)}" }
            ?? (options.contains("history_count") ? "" : ",\"history_count\":3")
        let asks = presence.map { ",\"presence\":\($0)" } ?? ""
        self.ask(
            .subscribe(room, since: since, presence: presence),
            "\"type\":\"subscribe\",\"room\":\"\(room)\"\(options)\(position)\(asks)"
        )
    }

    func unsubscribe(_ room: String) {
        self.ask(.unsubscribe(room), "\"type\":\"unsubscribe\",\"room\":\"\(room)\"")
    }

    func publish(_ publication: SimulatedRequest.Publication, options: String = "") {
        let frame = publication.fields + options
        if publication.messageID == nil, !publication.isSilent {
            self.connection?.send("{\(frame)}")
        } else {
            self.ask(.publish(publication), frame)
        }
    }

    func retry() {
        let waiting = self.unacknowledged
        self.unacknowledged = []
        for publication in waiting {
            // it may be somebody else by now, who may publish it
            self.ledger.forbidden[publication.text] = nil
            self.ledger.sentAgain.insert(publication.text)
            self.publish(publication)
        }
    }

    /// Its channel has changed, and with it what its token means.
    func forgetTokenEnd() {
        self.changes += 1
        self.tokenEnd = nil
    }

    func authenticate(_ token: String, end: Int64) {
        self.tokenEnd = nil
        self.ask(.authenticate(end: end, changes: self.changes), "\"type\":\"authenticate\",\"token\":\"\(token)\"")
    }

    func askMembers(_ room: String) {
        self.ask(.members(room), "\"type\":\"members\",\"room\":\"\(room)\"")
    }

    private func ask(_ request: SimulatedRequest, _ fields: String) {
        guard let callback = self.connection?.post(fields) else { return }
        self.pending[callback] = request
    }

    // MARK: Being answered

    /// Reads what has come, and checks it.
    func read() {
        guard let connection else { return }
        for frame in connection.receive() { self.got(frame) }
        for body in connection.events?.takeRefused() ?? [] { self.wasNotTaken(body) }
        self.ledger.check(connection.strayLines.isEmpty, "\(self.name) got a line that is not a frame")
        self.ledger.check(!connection.socket.hasOvertaken, "\(self.name) got bytes in the wrong order")
        if self.isTurnedAway { connection.drop() }
        if connection.isClosed { self.disconnected() }
    }

    /// Too many of its posts waited: it gets no reply to this one, and may send it again.
    private func wasNotTaken(_ body: String) {
        guard let callback = ReceivedFrame(body)?.callback,
            case .publish(let publication) = self.pending.removeValue(forKey: callback), publication.messageID != nil
        else { return }
        self.unacknowledged.append(publication)
    }

    /// Its handshake was refused.
    private var isTurnedAway = false

    func halfClose() {
        self.hasEnded = true
        self.isOpen = false
        self.connection?.halfClose()
        self.read()
    }

    func disconnected() {
        self.connection = nil
        self.isOpen = false
        self.hasEnded = false
        self.isTurnedAway = false
        self.user = nil
        self.tokenEnd = nil
        self.bannedAfter = [:]
        for request in self.pending.values {
            if case .publish(let publication) = request, publication.messageID != nil {
                self.unacknowledged.append(publication)
            }
        }
        self.pending = [:]
        self.earlyLists = [:]
        self.checkHoles()
        for (room, view) in self.views { self.left[room] = view }
        self.views = [:]
        self.silent = [:]
        self.unknown = []
    }

    private func got(_ frame: ReceivedFrame) {
        self.ledger.counted()
        self.ledger.check(frame.isStamped, "\(self.name) got a frame without stamp: \(frame)")
        if let callback = frame.callback {
            guard let request = self.pending.removeValue(forKey: callback) else {
                self.ledger.check(false, "\(self.name) got a second reply: \(frame)")
                return
            }
            guard case .subscribe(let room, _, let presence) = request else { return self.answered(request, frame) }
            let list = self.earlyLists.removeValue(forKey: room)
            // who asks to be shown nobody gets no list with the reply: this one came of what was asked before
            let isOfBefore =
                presence == false && self.ledger.showsOnRequest && self.views[room] != nil
                && !room.hasPrefix("observable")
            if isOfBefore, let list { self.saw(list, in: room) }
            self.answered(request, frame)
            if !isOfBefore, let list { self.saw(list, in: room) }
        } else if let room = frame.room, frame.type != nil {
            // it was for who is in the room
            if let list = self.earlyLists.removeValue(forKey: room) { self.saw(list, in: room) }
            if frame.type == "observable_members", self.awaitsReply(of: room) {
                self.earlyLists[room] = frame
            } else {
                self.saw(frame, in: room)
            }
        }
    }

    /// Whether a list of members may be that of a subscribe whose reply is yet to come.
    private func awaitsReply(of room: String) -> Bool {
        guard self.connection?.webSocket != nil || self.connection?.events != nil else { return false }
        return self.pending.values.contains { if case .subscribe(room, _, _) = $0 { true } else { false } }
    }

    private func saw(_ frame: ReceivedFrame, in room: String) {
        // a mute also holds for those who publish from outside
        let isOfMember = self.views[room] != nil || ["muted", "unmuted"].contains(frame.type)
        self.ledger.check(isOfMember, "\(self.name) is not in the room of \(frame)")
        if frame.type == "removed" {
            self.left[room] = self.views.removeValue(forKey: room)
            return
        }
        self.checkBan(frame, room)
        self.views[room]?.saw(frame, by: self.name, ledger: self.ledger)
    }

    private func checkBan(_ frame: ReceivedFrame, _ room: String) {
        guard let last = self.bannedAfter[room], frame.type == "publish",
            let number = frame.message.flatMap({ Int($0.drop { $0 == "m" }.prefix { $0 != "x" }) })
        else { return }
        self.ledger.check(number <= last, "\(self.name) was banned after m\(last): \(frame)")
    }

    private func answered(_ request: SimulatedRequest, _ reply: ReceivedFrame) {
        if let code = reply.code {
            self.ledger.check(request.mayBeRefused(with: code), "\(self.name) was refused: \(reply)")
            return self.refused(request, with: code)
        }
        switch request {
        case .handshake(let resumed):
            if let resumed, self.revoked.contains(resumed) {
                self.ledger.check(reply.flag("resumed") == false, "\(self.name) was kicked and came back: \(reply)")
            }
            self.clientID = reply.text("client_id")
            self.token = reply.text("resume_token")
            self.isOpen = true
        case .subscribe(let room, let since, let presence):
            self.left[room] = nil
            let asks = presence ?? self.views[room]?.asksPresence
            if !(self.views[room]?.renew(reply, since: since, by: self.name, ledger: self.ledger) ?? false) {
                self.views[room] = SeenRoom(
                    reply,
                    channel: self.channel,
                    room: room,
                    since: since,
                    ledger: self.ledger
                )
            }
            self.views[room]?.asksPresence = asks
            self.check(reply, presence: presence, in: room)
        case .unsubscribe(let room):
            self.left[room] = self.views.removeValue(forKey: room)
        case .publish(let publication):
            guard let seq = reply.seq else { return }
            if publication.isSilent { self.silent[publication.room, default: []].insert(seq) }
            self.ledger.wasAcknowledged(reply.text("id") ?? "", in: self.channel, to: self.name)
        case .authenticate(let end, let changes):
            self.user = self.name
            self.tokenEnd = changes == self.changes ? end : nil
        case .members(let room):
            self.views[room]?.check(reply, by: self.name, ledger: self.ledger)
        }
    }

    private func check(_ reply: ReceivedFrame, presence: Bool?, in room: String) {
        let told = reply.flag("presence")
        self.ledger.check(
            (told == nil) == (presence == nil),
            "\(self.name) asked \(presence, default: "nothing"): \(reply)"
        )
        guard let presence, self.ledger.showsOnRequest else { return }
        let isShown = presence || room.hasPrefix("observable")
        self.ledger.check(told == isShown, "\(self.name) asked \(presence): \(reply)")
    }

    private func refused(_ request: SimulatedRequest, with code: String) {
        switch request {
        case .handshake: self.isTurnedAway = true
        case .publish(let publication) where code == "storage_unavailable":
            if publication.messageID != nil { self.unacknowledged.append(publication) }
            if publication.isSilent { self.unknown.insert(publication.text) }
        default: break
        }
    }

    // MARK: In the end

    /// A message that it did not want to get back.
    private func isOwn(_ seq: Int, in room: String, _ log: Ledger.Log) -> Bool {
        if self.silent[room]?.contains(seq) ?? false { return true }
        return self.ledger.logs[log]?[seq].map { self.unknown.contains($0.message ?? "") } ?? !self.unknown.isEmpty
    }

    private func checkHoles() {
        for (room, view) in self.views {
            let unexplained = view.holes.filter { !self.isOwn($0, in: room, view.log) }
            self.ledger.check(unexplained.isEmpty, "\(self.name) never got \(unexplained) of \(view.log)")
        }
    }

    func finish() {
        self.checkHoles()
        self.ledger.check(self.pending.isEmpty, "\(self.name) was not answered: \(self.pending.values)")
    }
}
