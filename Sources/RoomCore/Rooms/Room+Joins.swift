import RoomModel

/// Joins of one batch that are sent the list of members wait for each other, so that the list is made once for all of
/// them. They are behind what others do meanwhile, and before what their own clients do next.
struct GatheredJoins {
    private var joins: [JoinCommand] = []
    private var connections: Set<ConnectionRef> = []
    private var clients: Set<ClientID> = []

    mutating func append(_ join: JoinCommand) {
        self.joins.append(join)
        self.connections.insert(join.connection)
        self.clients.insert(join.clientID)
    }

    mutating func takeAll() -> [JoinCommand] {
        defer { self = GatheredJoins() }
        return self.joins
    }

    /// Whether the joins have to be done before this command.
    func precede(_ work: RoomWork) -> Bool {
        guard !self.joins.isEmpty else { return false }
        guard case .command(let command) = work else { return true }
        switch command {
        case .publish(let publish): return self.connections.contains(publish.origin.connection)
        case .members(let origin), .history(let origin, _): return self.connections.contains(origin.connection)
        case .join(let join):
            return self.clients.contains(join.clientID) || self.connections.contains(join.connection)
        case .leave(let id, _), .linger(let id, _, _), .graceEnded(let id): return self.clients.contains(id)
        case .update(let sender): return self.concern(sender)
        case .rename(let rename): return self.concern(rename.sender)
        default: return true
        }
    }

    private func concern(_ sender: Sender) -> Bool { sender.clientID.map { self.clients.contains($0) } ?? false }
}

extension Room {
    mutating func take(_ work: RoomWork, gathering joins: inout GatheredJoins, into batch: inout RoomBatch) {
        if joins.precede(work) { self.admit(&joins, into: &batch) }
        switch work {
        case .command(.join(let join)) where self.showsMembers(to: join): joins.append(join)
        case .command(let command): self.take(command, into: &batch)
        case .followUp(let followUp): self.take(followUp, into: &batch)
        }
    }

    /// Lets the members in: each finds all of them in its list, and is told of nobody who is in it.
    mutating func admit(_ joins: inout GatheredJoins, into batch: inout RoomBatch) {
        let admissions = joins.takeAll().compactMap { self.admission(of: $0, into: &batch) }
        guard !admissions.isEmpty else { return }
        let list = self.memberList()
        batch.listed(list)
        for var admission in admissions {
            admission.snapshot = list
            batch.answer(RoomAnswer(to: admission.join.connection, .joined(admission)))
        }
    }
}
