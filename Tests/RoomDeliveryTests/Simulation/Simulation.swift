import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// One seeded run of a whole broker in memory with hundreds of clients that join, leave, lag, drop and resume.
struct Simulation {
    static let rooms = [
        "test": ["alpha", "beta", "observable-gamma"],
        "plain": ["alpha", "observable-delta"],
    ]

    /// Few enough to be trimmed all the time.
    private static let channels: [ChannelSettings] = [
        .make("test", history: 40, grace: .seconds(2), authentication: .optional),
        .make("plain", history: nil, grace: .seconds(2), authentication: .optional),
    ]

    /// With crashes: in one of them nothing that was acknowledged may be lost, in the other one only with the machine.
    private static let durableChannels: [ChannelSettings] = [
        channels[0].with { $0.durability = .power },
        channels[1].with {
            $0.history = HistorySettings(count: 200, age: .seconds(3_600))
            $0.durability = .process
        },
    ]

    let ledger = Ledger()
    private let seed: UInt64
    private let floor = MemoryFloor()
    private(set) var broker: TestBroker
    /// All that the rooms of the broker took, and those of each that has died.
    private var recorded = [RecordedRooms()]
    let clients: [SimulatedClient]
    var random: SeededRandom
    private(set) var published = 0
    private let hasFaults: Bool
    /// Whether the channels change while it runs, and tokens are shown.
    private let hasChanges: Bool
    /// Whether messages are redacted and rooms cleared.
    private let hasModeration: Bool
    /// Whether members are kicked, banned and muted, and rooms get rules.
    private let hasSanctions: Bool
    /// Whether the broker dies and comes again.
    let hasCrashes: Bool
    let channels: [ChannelSettings]
    /// How many brokers have died.
    var crashes: UInt64 = 0
    /// What was asked by HTTP, by what it was answered.
    private(set) var outside = AskedOutside()
    private(set) var redactions = AskedOutside()
    private(set) var clears = AskedOutside()

    final class AskedOutside {
        var asked = 0
        var answers: [Code?] = []
        /// The broker that was asked is dead: what it still does is not heard.
        private(set) var isOver = false

        /// Ends this, and goes on with what the next broker is asked.
        func next() -> AskedOutside {
            self.isOver = true
            let next = AskedOutside()
            next.answers = self.answers
            next.asked = self.answers.count
            return next
        }
    }

    private static let limits: BrokerLimits = {
        var limits = BrokerLimits()
        limits.windowPerRoom = 6_000
        limits.windowTotal = 60_000
        return limits
    }()

    init(seed: UInt64, clients count: Int = 200, crashes: Bool = false) {
        self.seed = seed
        self.channels = crashes ? Self.durableChannels : Self.channels
        let clock = ManualClock()
        self.broker = TestBroker(
            shards: 3,
            channels: self.channels,
            limits: Self.limits,
            floor: self.floor,
            clock: clock,
            engine: MemoryEngine(clock: clock, canCrash: true),
            recorder: self.recorded[0],
            seed: seed
        )
        self.random = SeededRandom(seed: seed)
        self.hasFaults = seed % 2 == 0
        self.hasChanges = seed % 3 != 0 && !crashes
        self.hasModeration = seed % 5 != 0
        self.hasSanctions = seed % 7 != 0 && !crashes
        self.hasCrashes = crashes
        self.clients = (0..<count).map { [ledger] index in
            SimulatedClient(
                name: "client \(index)",
                channel: index % 3 == 0 ? "plain" : "test",
                address: "10.0.0.\(index % 250)",
                ledger: ledger
            )
        }
        self.watchStore()
    }

    /// From now on, whatever somebody sees or has acknowledged in a room with history has to be stored.
    private func watchStore() {
        guard !self.hasChanges else { return }
        let stored = Set(self.channels.filter { $0.history != nil }.map(\.id.text))
        self.ledger.isStored = { [engine = self.broker.engine] channel, id in
            !stored.contains(channel) || engine.hasStored(id)
        }
    }

    /// Another broker over what is left, and nobody is connected to it.
    mutating func begin(with engine: MemoryEngine) {
        self.crashes += 1
        let recorder = RecordedRooms()
        self.recorded.append(recorder)
        (self.outside, self.redactions, self.clears) = (self.outside.next(), self.redactions.next(), self.clears.next())
        self.broker = TestBroker(
            shards: 3,
            channels: self.channels,
            limits: Self.limits,
            floor: self.floor,
            clock: self.broker.clock,
            engine: engine,
            recorder: recorder,
            seed: self.seed &+ self.crashes &* 1_000_003
        )
        self.watchStore()
    }

    mutating func run(steps: Int = 300) {
        for client in self.clients.prefix(self.clients.count / 2) { self.comeIn(client) }
        for step in 0..<steps {
            self.step()
            if step % 4 == 0 { self.readAll() }
            if !self.ledger.violations.isEmpty { return }
        }
        self.settle()
        for rooms in self.recorded { rooms.check(self.ledger) }
        self.recorded.last?.compare(with: self.broker, self.ledger)
    }

    private mutating func readAll() {
        self.broker.run()
        for client in self.clients where client.connection != nil { client.read() }
    }

    // MARK: Steps

    private mutating func step() {
        if self.hasCrashes, self.random.chance(3) { self.crash() }
        if self.hasModeration, self.random.chance(12) { self.moderate() }
        guard let client = self.clients.randomElement(using: &self.random), !client.hasEnded else { return }
        switch self.random.below(100) {
        case 0..<36: self.publish()
        case 36..<40 where self.hasSanctions: self.sanction(client)
        case 36..<55: self.comeIn(client)
        case 55..<60: self.leaveRoom(client)
        case 60..<66: self.goAway(client)
        case 66..<72:
            self.ledger.note("\(client.name) stops reading")
            client.connection?.stopReading(after: self.random.below(3_000))
        case 72..<80: self.clients.forEachConnected { $0.readOn() }
        case 80..<87: self.disturbStore()
        case 87..<89: self.broker.advance(by: .seconds(3))
        case 89..<94: self.publishOutside()
        case 94..<97 where self.hasChanges: self.changeChannel()
        case 97..<99 where self.hasChanges: self.authenticate(client)
        default: self.broker.advance(by: .milliseconds(Int64(self.random.below(20))))
        }
        if self.random.chance(50) { self.broker.run() }
    }

    mutating func comeIn(_ client: SimulatedClient) {
        if client.connection == nil {
            let (shard, isDirect) = (self.random.below(3), !self.random.chance(10))
            let connection =
                switch self.random.below(10) {
                case 0..<3: self.broker.connectWebSocket(shard: shard, from: client.address, direct: isDirect)
                case 3..<5: self.broker.connectEvents(shard: shard, from: client.address, direct: isDirect)
                default: self.broker.connect(shard: shard, from: client.address, direct: isDirect)
                }
            connection.isDumped = self.seed == 1
            if self.random.chance(60) { connection.socket.takeRandomly(seed: self.random.next()) }
            self.ledger.note("\(client.name) connects")
            client.connect(connection, resumable: self.random.chance(50))
        }
        for room in Self.rooms[client.channel] ?? [] {
            let view = client.views[room]
            guard self.random.chance(view == nil ? 60 : 15) else { continue }
            let overflow = ["disconnect", "drop_oldest", "latest"].randomElement(using: &self.random) ?? ""
            self.ledger.note("\(client.name) subscribes to \(room), \(overflow)")
            let options = ",\"overflow\":\"\(overflow)\""
            client.subscribe(room, options: options, since: self.random.chance(50) ? view : nil)
        }
        client.retry()
    }

    private mutating func leaveRoom(_ client: SimulatedClient) {
        client.read()
        guard let room = client.views.keys.sorted().randomElement(using: &self.random) else { return }
        self.ledger.note("\(client.name) leaves \(room)")
        client.unsubscribe(room)
    }

    private mutating func goAway(_ client: SimulatedClient) {
        guard let connection = client.connection else { return }
        client.read()
        switch self.random.below(3) {
        // who ends an event stream has no answers to come
        case 0 where connection.events == nil:
            self.ledger.note("\(client.name) half-closes")
            client.halfClose()
        case 1:
            self.ledger.note("\(client.name) vanishes, to come back on another connection")
            client.disconnected()
            self.comeIn(client)
        default:
            self.ledger.note("\(client.name) is dropped")
            connection.drop()
            client.read()
        }
    }

    private mutating func publish() {
        let open = self.clients.filter(\.isOpen)
        guard let client = open.randomElement(using: &self.random),
            let room = Self.rooms[client.channel]?.randomElement(using: &self.random)
        else { return }
        for _ in 0...self.random.below(4) {
            self.published += 1
            var publication = SimulatedClient.Publication(room: room, text: "m\(self.published)", isSilent: false)
            if self.random.chance(40) {
                publication.messageID = UniqueID(high: self.random.next(), low: self.random.next()).description
            }
            publication.isSilent = self.random.chance(20)
            let isEphemeral = publication.messageID == nil && self.random.chance(15)
            let padding = String(repeating: "x", count: self.random.below(3) * 150)
            publication.text += padding
            self.ledger.note("\(client.name) publishes m\(self.published) in \(room)")
            if let why = self.prohibition(on: client, in: room) { self.ledger.forbidden[publication.text] = why }
            client.publish(publication, options: isEphemeral ? ",\"ephemeral\":true" : "")
        }
    }

    private mutating func publishOutside() {
        let channel = self.random.chance(30) ? "plain" : "test"
        guard let name = Self.rooms[channel]?.randomElement(using: &self.random) else { return }
        self.published += 1
        self.ledger.note("the HTTP side publishes m\(self.published) in \(name)")
        self.outside.asked += 1
        let room = RoomKey.make(name, channel: channel)
        self.broker.shards[Int(room.stableHash % 3)].onLoop.owner.publish(
            ByteBuffer(string: "\"m\(self.published)\""),
            to: room,
            by: ExternalPublisher(.rest),
            messageID: self.random.chance(50) ? UniqueID(high: self.random.next(), low: self.random.next()) : nil
        ) { [outside] answer in
            if case .failure(let error) = answer {
                outside.answers.append(error.code)
            } else {
                outside.answers.append(nil)
            }
        }
    }

    /// Turns history on and off and sets what can be set; deletes the channel once in a while and makes it again.
    private mutating func changeChannel() {
        guard let settings = self.channels.randomElement(using: &self.random) else { return }
        if self.random.chance(8) {
            self.ledger.note("\(settings.id) is deleted and made again")
            self.broker.removeChannel(settings.id.text)
            self.allowed(in: settings.id.text)
            self.broker.change(settings)
            return
        }
        let hasHistory = self.random.chance(50)
        let count = 10 + self.random.below(60)
        let changed = settings.with {
            $0.history = hasHistory ? HistorySettings(count: count, age: .seconds(3_600)) : nil
            $0.presence = count % 2 == 0 ? .all : .prefix
            $0.authDataStamps = AuthDataStamps.allCases[count % 3]
        }
        self.ledger.note("\(settings.id) changes: history \(hasHistory ? count : 0), presence \(changed.presence)")
        self.broker.change(changed)
    }

    private mutating func authenticate(_ client: SimulatedClient) {
        guard client.isOpen else { return }
        let denied = self.random.chance(50) ? Self.rooms[client.channel]?.randomElement(using: &self.random) : nil
        self.ledger.note("\(client.name) shows a token that denies \(denied ?? "nothing")")
        client.authenticate(denied: denied)
    }

    private mutating func disturbStore() {
        switch self.random.below(self.hasFaults ? 10 : 4) {
        case 0:
            self.ledger.note("the store holds")
            self.broker.engine.hold()
        case 1: self.broker.engine.releaseOne()
        case 2, 3:
            self.ledger.note("the store goes on")
            self.broker.engine.release()
        case 4: self.fail(.append, .unavailable)
        case 5: self.fail(.append, .unavailableButDone)
        case 6: self.fail(.open, .unavailable)
        case 7: self.fail(.read, .unavailable)
        case 9 where self.hasCrashes: self.fail(.append, .readOnly)
        case 8: self.fail(self.random.chance(50) ? .clear : .find, .unavailable)
        default: if self.seed % 4 == 0 { self.fail(self.random.chance(50) ? .append : .read, .reset) }
        }
    }

    private func fail(_ call: MemoryEngine.Call, _ fault: MemoryEngine.Fault) {
        self.ledger.note("the next \(call) fails: \(fault)")
        self.broker.engine.failNext(call, fault)
    }

    // MARK: The end

    /// Everybody reads on, a last message goes to each room, and everybody has to end with exactly the log.
    private mutating func settle() {
        self.ledger.note("the end")
        self.stopModerating()
        self.broker.engine.forgetFaults()
        self.broker.engine.release()
        self.clients.forEachConnected { $0.readOn() }
        self.readAll()
        self.broker.advance(by: .seconds(8))
        self.readAll()
        for (channel, rooms) in Self.rooms {
            let last = self.broker.connect().joined("last", channel: channel)
            for room in rooms { self.finish(channel, room, self.publishLast(room, by: last)) }
        }
        self.readAnew()
        for client in self.clients { client.finish() }
        let refusals: [Code] = [.storageUnavailable, .unknownChannel]
        self.check(self.outside, "publishes", refusals)
        self.check(self.redactions, "redactions", refusals + [.messageNotFound])
        self.check(self.clears, "clears", refusals)
        self.ledger.check(self.ledger.frames > self.clients.count * 5, "only \(self.ledger.frames) frames were seen")
        self.checkAcknowledged()
    }

    private func check(_ requests: AskedOutside, _ name: String, _ refusals: [Code]) {
        self.ledger.check(
            requests.answers.count == requests.asked,
            "of \(requests.asked) \(name) by HTTP \(requests.answers.count) were answered"
        )
        for case let code? in requests.answers {
            self.ledger.check(refusals.contains(code), "\(name) by HTTP were refused: \(code.rawValue)")
        }
    }

    /// Whoever comes now, by whatever way, sees nothing of what was redacted.
    private func readAnew() {
        self.ledger.isQuiet = true
        for (channel, rooms) in Self.rooms {
            for (index, way) in [",\"history_count\":30", ""].enumerated() {
                let client = SimulatedClient(
                    name: "late \(index)",
                    channel: channel,
                    address: "10.0.1.1",
                    ledger: self.ledger
                )
                client.connect(self.broker.connect(shard: index), resumable: false)
                for room in rooms {
                    let log = self.clients.lazy.compactMap { $0.channel == channel ? $0.views[room]?.log : nil }.first
                    client.subscribe(
                        room,
                        options: way,
                        since: way.isEmpty ? log.map { RoomView(log: $0, last: 0) } : nil
                    )
                }
                self.broker.run()
                client.read()
                client.finish()
            }
        }
    }

    /// A log that is no more is found out by the first publish, which has to be sent again.
    private func publishLast(_ room: String, by client: TestConnection) -> ReceivedFrame? {
        let id = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
        let reply = client.publish(room, "\"last\"", id)
        return reply?.code == "storage_unavailable" ? client.publish(room, "\"last\"", id) : reply
    }

    private mutating func finish(_ channel: String, _ room: String, _ reply: ReceivedFrame?) {
        self.readAll()
        let members = self.clients.filter { $0.channel == channel && $0.views[room] != nil }
        let seq = reply?.seq ?? -1
        for client in members {
            let last = client.views[room]?.last
            self.ledger.check(
                last == seq,
                "\(client.name) ends with \(last ?? -1) of \(room), not \(seq), after \(client.views[room]?.recent ?? [])"
            )
            if room.hasPrefix("observable") { client.askMembers(room) }
        }
        let epochs = Set(members.compactMap { $0.views[room]?.log.epoch })
        self.ledger.check(epochs.count <= 1, "the members of \(room) end in different epochs: \(epochs)")
        self.readAll()
        self.compareWithStore(channel, room)
    }

    /// What everybody has seen is what the store holds, and what was sent again is in it once.
    private func compareWithStore(_ channel: String, _ room: String) {
        let key = RoomKey.make(room, channel: channel)
        guard let epoch = self.broker.engine.epoch(of: key) else { return }
        let log = Ledger.Log(channel: channel, room: room, epoch: epoch.description)
        var keys: Set<UniqueID> = []
        for entry in self.broker.engine.entries(of: key) {
            let seen = self.ledger.logs[log]?[Int(entry.seq)]
            self.ledger.check(
                seen.map { $0.id == entry.id.description } ?? true,
                "\(log) \(entry.seq) is another message in the store"
            )
            if let key = entry.key {
                self.ledger.check(keys.insert(key.id).inserted, "\(log) \(entry.seq) repeats the message \(key.id)")
            }
            let isRedacted = self.ledger.redacted.contains(entry.id.description)
            self.ledger.check(!isRedacted || entry.kind == .tombstone, "\(log) \(entry.seq) has its text in the store")
        }
    }
}

extension [SimulatedClient] {
    fileprivate func forEachConnected(_ body: (TestConnection) -> Void) {
        for client in self { client.connection.map(body) }
    }
}
