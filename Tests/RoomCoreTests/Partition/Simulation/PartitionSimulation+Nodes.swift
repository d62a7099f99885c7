import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// What a node does around its sender and its partition.
extension PartitionSimulation {
    /// What a node does as time passes.
    mutating func run(_ index: Int) {
        if let end = self.nodes[index].downUntil {
            guard end <= self.now else { return }
            self.begin(index)
        }
        if self.nodes[index].sender.isGone, self.random.chance(30) { self.beginAnew(index) }
        self.noticeDropped(index)
        self.endGraces(index)
        self.sayWhoIsGone(index)
        if self.random.chance(2) { self.nodes[index].channelVersion = self.channels.count - 1 }
        let clock = self.nodes[index].clock(self.now)
        if self.nodes[index].partition.waitsForTime, self.nodes[index].newestRecord + 1_000_000_000 < self.now {
            self.nodes[index].newestRecord = self.now
            self.nodes[index].sender.addTick(now: clock)
        }
        self.perform(self.nodes[index].sender.flush(now: clock), index)
        guard let deadline = self.nodes[index].sender.deadline, deadline <= clock else { return }
        self.perform(self.nodes[index].sender.timePassed(now: clock), index)
    }

    mutating func send(_ command: RoomCommand, in room: RoomKey, from index: Int) {
        let clock = self.nodes[index].clock(self.now)
        let channel = self.channels[self.nodes[index].channelVersion]
        let settings = channel.roomSettings(of: room.room, BrokerLimits())
        let entry = PartitionRecord.Command(command, in: room, settings)
        guard let refusal = self.nodes[index].sender.add(entry, now: clock) else { return }
        self.tell(refusal, in: room, from: index, .notStored)
    }

    private mutating func perform(_ actions: [RecordSender.Action], _ index: Int) {
        for action in actions {
            switch action {
            case .append(let bytes): self.append(bytes)
            case .answer(let answers):
                for answer in answers { self.tell(answer.answer, in: answer.room, from: index, .unknown) }
            }
        }
    }

    // MARK: Lives

    /// The process ends: what it has not appended is lost.
    mutating func crash(_ index: Int) {
        self.endLife(index)
        self.nodes[index].downUntil = self.now + UInt64(self.random.below(8_000)) * Self.millisecond
    }

    /// It was taken for dead, says goodbye to its clients, and is another node from now on.
    private mutating func beginAnew(_ index: Int) {
        self.endLife(index)
        self.nodes[index] = self.nodes[index].reborn(self.nextNode())
    }

    private mutating func endLife(_ index: Int) {
        let number = self.nodes[index].number
        for client in self.clients.indices where self.clients[client].connection?.node == number {
            _ = self.clients[client].disconnected()
        }
        self.lifeEnded(number)
    }

    private mutating func sayWhoIsGone(_ index: Int) {
        let accepted = self.ledger.rooms.accepted
        self.dead.removeAll { accepted.nextNumber(of: $0) == nil }
        for number in self.dead where self.random.below(20) == 0 {
            // it may be behind: then it says so once more
            guard self.nodes[index].partition.accepted.nextNumber(of: number) != nil else { continue }
            self.nodes[index].sender.addGone(number, now: self.nodes[index].clock(self.now))
        }
    }

    // MARK: Members that linger

    private mutating func noticeDropped(_ index: Int) {
        let dropped = self.nodes[index].dropped.filter { $0.at <= self.now }
        guard !dropped.isEmpty else { return }
        self.nodes[index].dropped.removeAll { $0.at <= self.now }
        for member in dropped {
            for room in member.rooms.map({ Self.rooms[$0] }) {
                self.send(.linger(member.client, member.connection), in: room, from: index)
                let end = self.now + Self.grace
                self.nodes[index].graces.append(SimulatedNode.Grace(end: end, client: member.client, room: room))
            }
        }
    }

    private mutating func endGraces(_ index: Int) {
        let over = self.nodes[index].graces.filter { $0.end <= self.now }
        guard !over.isEmpty else { return }
        self.nodes[index].graces.removeAll { $0.end <= self.now }
        for grace in over where self.nodes[index].partition[grace.room]?.members[grace.client]?.connection == nil {
            self.send(.graceEnded(grace.client), in: grace.room, from: index)
        }
    }

    // MARK: Records

    /// Applies the next record of the log.
    mutating func follow(_ index: Int) {
        let stored = self.log.records[self.nodes[index].place]
        guard let record = try? PartitionRecord(decoding: stored.bytes) else { return }
        self.nodes[index].place += 1
        self.nodes[index].newestRecord = self.now
        let place = LogOffset(rawValue: UInt64(self.nodes[index].place))
        let applied = self.nodes[index].partition.apply(record, at: place, time: stored.time)
        self.ledger.compare(applied, at: self.nodes[index].place, by: self.nodes[index])
        var wasAnswered = false
        if record.node == self.nodes[index].number {
            let seen = self.nodes[index].sender.recordSeen(
                number: record.number,
                attempt: record.attempt,
                counts: applied.outcome != .ignored,
                now: self.nodes[index].clock(self.now)
            )
            wasAnswered = seen.wasAnswered
            self.perform(seen.actions, index)
        }
        if applied.outcome == .ends(self.nodes[index].number) {
            for answer in self.nodes[index].sender.nodeGone() {
                self.tell(answer.answer, in: answer.room, from: index, .notStored)
            }
        }
        for batch in applied.batches {
            for answer in batch.batch.answers { self.take(answer, in: batch.room, index, wasAnswered: wasAnswered) }
        }
        self.checkMembers(index)
    }

    /// An answer of a room: it goes to the connection that has asked, unless that was told before that it is not known.
    private mutating func take(_ answer: RoomAnswer, in room: RoomKey, _ index: Int, wasAnswered: Bool) {
        guard let connection = answer.connection, connection.node == self.nodes[index].number else { return }
        guard wasAnswered else { return self.tell(answer, in: room, from: index, .fromLog) }
        switch answer.content {
        case .joined(let admission):
            // it was not let in, as far as it knows, unless it has asked again
            if self.membership(connection, room) ?? .outside == .outside {
                self.send(.leave(admission.join.clientID, connection), in: room, from: index)
            }
        case .detached, .removed:
            // no answer to the record's commands
            self.tell(answer, in: room, from: index, .fromLog)
        default: return
        }
    }

    /// Who is in a room by its own view is in it.
    private mutating func checkMembers(_ index: Int) {
        // whoever was taken for dead says goodbye to its clients soon
        guard !self.nodes[index].sender.isGone else { return }
        for client in self.clients {
            guard let connection = client.connection, connection.node == self.nodes[index].number else { continue }
            for (room, key) in Self.rooms.enumerated() where client.rooms[room] == .joined {
                guard self.nodes[index].partition[key]?.members[client.id]?.connection != connection else { continue }
                self.ledger.violated("\(client.id) is not in \(key), and was not told so")
            }
        }
    }
}
