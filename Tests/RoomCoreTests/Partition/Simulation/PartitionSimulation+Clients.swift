import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCore

/// What clients and moderators do, and what they are told.
extension PartitionSimulation {
    mutating func act() {
        let client = self.random.below(self.clients.count)
        guard self.clients[client].connection != nil else {
            if self.random.chance(30) { self.connect(client) }
            return
        }
        let room = self.random.below(self.random.chance(80) ? 4 : Self.rooms.count)
        switch self.random.below(100) {
        case 0..<50: self.publish(client, in: room)
        case 50..<64: self.join(client, room)
        case 64..<70: self.leave(client, room)
        case 70..<73: self.disconnect(client)
        case 73..<79: self.change(client, in: room)
        default: self.moderate(room, from: self.clients[client].node)
        }
    }

    // MARK: Connections

    /// With a node that runs, or not at all. The client comes back into its rooms, and publishes again what was not answered.
    private mutating func connect(_ client: Int) {
        let node = self.random.below(self.nodes.count)
        guard self.nodes[node].isRunning else { return }
        self.clients[client].connected(self.nextConnection(to: node), to: node)
        for room in self.clients[client].wanted { self.join(client, room) }
        for message in self.clients[client].pending { self.send(message, of: client) }
    }

    /// Its node notices that some time later.
    mutating func disconnect(_ client: Int) {
        guard let connection = self.clients[client].connection else { return }
        let dropped = SimulatedNode.Dropped(
            at: self.now + UInt64(self.random.below(3_000)) * Self.millisecond,
            client: self.clients[client].id,
            connection: connection,
            rooms: self.clients[client].disconnected()
        )
        self.nodes[self.clients[client].node].dropped.append(dropped)
    }

    func membership(_ connection: ConnectionRef, _ room: RoomKey) -> SimulatedClient.Membership? {
        guard let index = Self.rooms.firstIndex(of: room) else { return nil }
        return self.clients.first { $0.connection == connection }?.rooms[index]
    }

    // MARK: What clients do

    private mutating func join(_ client: Int, _ room: Int) {
        guard let connection = self.clients[client].connection else { return }
        let join = JoinCommand(
            connection: connection,
            member: self.clients[client].sender,
            clientID: self.clients[client].id,
            wireFormat: client % 2 == 0 ? .jsonLines : .webSocket,
            start: self.random.chance(30) ? .since(Position(epoch: nil, seq: 0)) : .live(historyCount: 2),
            asksPresence: [nil, false, true][client % 3]
        )
        self.clients[client].joins(room)
        self.send(.join(join), in: Self.rooms[room], from: self.clients[client].node)
    }

    private mutating func leave(_ client: Int, _ room: Int) {
        guard self.clients[client].rooms[room] != .outside, let connection = self.clients[client].connection
        else { return }
        self.clients[client].leaves(room)
        let command = RoomCommand.leave(self.clients[client].id, connection)
        self.send(command, in: Self.rooms[room], from: self.clients[client].node)
    }

    private mutating func publish(_ client: Int, in room: Int) {
        // one in a hundred alone makes a record nearly full
        let bytes = self.random.below(100) == 0 ? 70_000 : self.random.below(20)
        let hasID = self.random.chance(70)
        let message = self.clients[client].message(in: room, hasID: hasID, bytes: bytes)
        self.clients[client].pending.append(message)
        self.send(message, of: client, isEphemeral: !hasID && self.random.chance(30))
    }

    private mutating func send(_ message: SimulatedClient.Message, of client: Int, isEphemeral: Bool = false) {
        guard let connection = self.clients[client].connection,
            let index = self.clients[client].pending.firstIndex(where: { $0.number == message.number })
        else { return }
        let attempt = self.nextAttempt()
        self.clients[client].pending[index].sent(attempt)
        self.ledger.sent(self.clients[client].pending[index], of: client, isGuest: self.clients[client].isGuest)
        let publish = PublishCommand(
            origin: Origin(connection: connection, callback: attempt),
            sender: self.clients[client].sender,
            message: ByteBuffer(string: message.text),
            messageID: message.messageID,
            isEphemeral: isEphemeral,
            author: self.clients[client].isGuest ? .client(self.clients[client].id) : nil
        )
        self.send(.publish(publish), in: Self.rooms[message.room], from: self.clients[client].node)
    }

    private mutating func change(_ client: Int, in room: Int) {
        guard let connection = self.clients[client].connection else { return }
        let data = ByteBuffer(string: "\(self.random.below(5))")
        let sender = Sender.member(self.clients[client].id, clientData: data)
        let rename = RenameCommand(
            origin: Origin(connection: connection, callback: nil),
            sender: sender,
            name: "name",
            author: .client(self.clients[client].id)
        )
        let command: RoomCommand = self.random.chance(30) ? .rename(rename) : .update(sender)
        self.send(command, in: Self.rooms[room], from: self.clients[client].node)
    }

    private mutating func moderate(_ room: Int, from node: Int) {
        let origin = Origin(connection: self.nextConnection(to: node, isExternal: true), callback: nil)
        let (key, sender) = (Self.rooms[room], Sender.make("moderator"))
        switch self.random.below(20) {
        case 0..<6:
            let client = self.clients[self.random.below(self.clients.count)].id
            let kick = KickCommand(client: client, reason: nil, sender: sender, origin: origin)
            self.send(.kick(kick), in: key, from: node)
        case 6..<9:
            self.send(.notice(NoticeCommand(Notice(text: "now"), by: sender, origin: origin)), in: key, from: node)
        case 9..<13:
            var rules = RoomRules()
            rules.isLocked = self.random.chance(20)
            rules.slowMode = self.random.chance(50) ? 1 + self.random.below(5) : nil
            rules.memberLimit = self.random.chance(30) ? 1 + self.random.below(6) : nil
            self.send(.rules(rules), in: key, from: node)
        case 13..<18:
            guard let (epoch, seq, id) = self.ledger.message(in: key, &self.random) else { return }
            let tombstone = Tombstone(seq: seq, id: id, tail: ByteBuffer(string: "gone"))
            let redact = RedactCommand(
                origin: origin,
                sender: sender,
                reason: nil,
                epoch: epoch,
                newest: seq,
                tombstone: tombstone
            )
            self.send(.redact(redact), in: key, from: node)
        case 18: self.send(.clear(ClearCommand(origin: origin, sender: sender)), in: key, from: node)
        default:
            let settings = ChannelSettings.make(history: self.random.chance(50) ? nil : 50).with {
                $0.presence = PresenceScope.allCases[self.random.below(3)]
            }
            self.channels.append(Self.channel(settings, version: self.channels.count))
            self.nodes[node].channelVersion = self.channels.count - 1
            let room = self.channels[self.channels.count - 1].roomSettings(of: key.room, BrokerLimits())
            self.send(.settings(room, epoch: Epoch(rawValue: self.random.next())), in: key, from: node)
        }
    }

    // MARK: What clients are told

    /// - Parameter room: `nil`: the sender's own answer, which does not say.
    mutating func tell(_ answer: RoomAnswer, in room: RoomKey?, from node: Int, _ kind: OrderLedger.Answer) {
        guard let connection = answer.connection,
            let client = self.clients.firstIndex(where: { $0.connection == connection })
        else { return }
        let index = (room ?? answer.content.room).flatMap { Self.rooms.firstIndex(of: $0) }
        switch answer.content {
        case .acknowledged(let acknowledgement): self.told(client, acknowledgement.origin.callback, kind)
        case .refused(let origin, _): self.told(client, origin.callback, kind)
        case .joined: if let index { self.clients[client].joinAnswered(index, isIn: true) }
        case .joinRefused: if let index { self.clients[client].joinAnswered(index, isIn: false) }
        case .detached:
            // it did not ask for it: an earlier life of its session has taken its place
            guard let index, self.clients[client].rooms[index] == .joined else { return }
            self.join(client, index)
        case .removed:
            if let index, self.clients[client].rooms[index] == .joined { self.clients[client].leaves(index) }
        case .members, .history, .located, .moderated, .cleared, .logReread: return
        }
    }

    private mutating func told(_ client: Int, _ callback: Int64?, _ answer: OrderLedger.Answer) {
        guard let callback else { return }
        self.ledger.told(callback, answer)
        guard let index = self.clients[client].pending.firstIndex(where: { $0.attempt == callback }) else { return }
        let message = self.clients[client].pending[index]
        switch answer {
        case .unknown where message.messageID != nil: self.send(message, of: client)
        // its node says goodbye: it publishes it again through another one, or gives it up
        case .notStored where message.messageID != nil && !(message.isFirstAttempt && self.random.chance(30)): return
        case .fromLog, .unknown: self.clients[client].pending.remove(at: index)
        case .notStored:
            self.clients[client].pending.remove(at: index)
            if message.isFirstAttempt { self.ledger.gaveUp(message.text) }
        }
    }
}

extension RoomAnswer.Content {
    /// As a sender says it of a join that nobody knows of.
    fileprivate var room: RoomKey? {
        guard case .joinRefused(_, let error) = self, let room = error.room else { return nil }
        return RoomKey.make(room.text)
    }
}
