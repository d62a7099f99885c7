import RoomCore
import RoomModel

/// A subscribe that waits for the answers of its rooms' owners, to be answered in one frame.
struct PendingJoin {
    let plan: JoinPlan
    /// By index in the plan.
    fileprivate(set) var answers: [Answer?]
    fileprivate var missing: Int

    enum Answer {
        case joined(epoch: Epoch, seq: UInt64)
        case refused(RequestError)
    }

    fileprivate init(_ plan: JoinPlan) {
        self.plan = plan
        self.answers = plan.rooms.map { room in
            if case .failure(let error) = room { .refused(error) } else { nil }
        }
        self.missing = self.answers.count { $0 == nil }
    }

    /// - Returns: what to do where the client reads slowly; `nil`: there was an answer already.
    fileprivate mutating func take(_ answer: Answer, at index: Int) -> OverflowPolicy? {
        guard self.answers[index] == nil else { return nil }
        self.answers[index] = answer
        self.missing -= 1
        return self.plan.request.overflow
    }
}

/// The subscribes of one connection that wait. A frame can name thousands of rooms, so each is found at once.
struct PendingJoins {
    private var tickets: [Int: PendingJoin] = [:]
    /// Where the answer of a room belongs, until its ticket is answered: the newest ticket that names the room.
    private var places: [RoomName: (ticket: Int, index: Int)] = [:]
    private var count = 0

    /// Whether an earlier subscribe to one of these rooms has to be answered first. For many rooms, it is every earlier
    /// one: to look for all of the names after each answer takes quadratic time.
    func delay(_ selection: RoomSelection) -> Bool {
        switch selection {
        case .one(let room): self.places[room] != nil
        case .many: !self.tickets.isEmpty
        }
    }

    /// - Returns: the ticket's number. It may be complete already: all its rooms are refused.
    mutating func add(_ plan: JoinPlan) -> Int {
        self.count += 1
        for (index, room) in plan.rooms.enumerated() {
            if case .success(let name) = room { self.places[name] = (self.count, index) }
        }
        self.tickets[self.count] = PendingJoin(plan)
        return self.count
    }

    /// - Returns: the ticket that the answer was for; `nil` where nobody waits for the room any more.
    mutating func answer(_ room: RoomName, _ answer: PendingJoin.Answer) -> (ticket: Int, overflow: OverflowPolicy)? {
        // in its place: a copy of the ticket would have all of its answers copied for each of them
        guard let place = self.places[room],
            let overflow = self.tickets[place.ticket]?.take(answer, at: place.index)
        else { return nil }
        return (place.ticket, overflow)
    }

    /// A room that had let the member in has let it go before its ticket was answered.
    ///
    /// - Returns: whether there was such a ticket.
    mutating func revoke(_ room: RoomName, _ error: RequestError) -> Bool {
        guard let place = self.places[room], case .joined = self.tickets[place.ticket]?.answers[place.index] else {
            return false
        }
        self.tickets[place.ticket]?.answers[place.index] = .refused(error)
        return true
    }

    mutating func takeComplete(_ number: Int) -> PendingJoin? {
        guard self.tickets[number]?.missing == 0, let ticket = self.tickets.removeValue(forKey: number) else {
            return nil
        }
        for case .success(let room) in ticket.plan.rooms where self.places[room]?.ticket == number {
            self.places[room] = nil
        }
        if self.tickets.isEmpty {
            // most members subscribe once: an empty dictionary would keep its memory
            self.tickets = [:]
            self.places = [:]
        }
        return ticket
    }
}

/// The rooms of a subscribe that have not been asked yet: a frame can name thousands, and is handled in as many turns as
/// it takes.
struct UnaskedRooms {
    let ticket: Int
    let start: JoinCommand.Start
    let presence: Bool?
    var rooms: ArraySlice<RoomName>

    init(_ plan: JoinPlan, ticket: Int) {
        self.ticket = ticket
        self.start = plan.request.since.map { .since($0) } ?? .live(historyCount: plan.request.historyCount)
        self.presence = plan.request.presence
        self.rooms = plan.rooms.compactMap { try? $0.get() }[...]
    }
}
