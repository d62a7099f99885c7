import NIOConcurrencyHelpers
import RoomClient
import RoomTestKit

/// Clients that talk through a hostile network while their broker is killed again and again; until it is calm, and everybody
/// has come to the end.
struct ChaosRun: Sendable {
    /// What there was to see at the end.
    struct Outcome: Sendable {
        var readings: [ChaosReading] = []
        var states: [[ConnectionState]] = []
        var histories: [String: [StoredMessage]] = [:]
        /// Names in the observable room, as the broker has them.
        var members: [String] = []
        var connections = 0
        var alarms: [String] = []
    }

    let script: ChaosScript
    let seed: UInt64
    let ledger = PublishLedger()
    private let broker: BrokerProcess
    private let proxy: HostileProxy
    let clients: [ChaosClient]
    /// `nil` where nobody wants tokens.
    private let mint: TokenMint?

    static func outcome(of script: ChaosScript, seed: UInt64) async throws -> (PublishLedger, Outcome) {
        let tokens = script.wantsTokens ? ",auth=required,token-expiry=live" : ""
        let channel = "default,history=\(script.history),grace=1s\(tokens)"
        let flags = ["--channel", channel, "--window-per-room", "16KiB", "--token-skew", "0s"]
        return try await BrokerProcess.with(flags: flags) { broker in
            try await HostileProxy.with(plan: { ProxyPlan(seed: seed, connection: $0) }) { proxy in
                try await proxy.forward(to: broker.clientPort)
                let run = try ChaosRun(script: script, seed: seed, broker: broker, proxy: proxy)
                return (run.ledger, try await run.outcome())
            }
        }
    }

    private init(script: ChaosScript, seed: UInt64, broker: BrokerProcess, proxy: HostileProxy) throws {
        self.script = script
        self.seed = seed
        self.broker = broker
        self.proxy = proxy
        let mint = script.wantsTokens ? try broker.tokens() : nil
        self.mint = mint
        let url = ClientTransport.current.url(port: proxy.port)
        self.clients = try ChaosCast.roles.map { try ChaosClient($0, url: url, tokens: mint) }
    }

    private func outcome() async throws -> Outcome {
        try await withThrowingTaskGroup(of: [ConnectionState].self) { group in
            for client in self.clients { group.addTask { await client.states() } }
            let result: Result<Outcome, any Error>
            do { result = .success(try await self.run()) } catch { result = .failure(error) }
            for client in self.clients { await client.client.close() }
            var outcome = try result.get()
            for try await states in group { outcome.states.append(states) }
            return outcome
        }
    }

    private func run() async throws -> Outcome {
        let rooms = try await self.joinAll()
        return try await withThrowingTaskGroup(of: [ChaosReading].self) { group in
            for client in self.clients {
                for name in client.role.listens {
                    group.addTask { try await self.read(client, name, rooms) }
                }
            }
            async let kills: Void = self.killBrokers()
            await self.publish()
            try await kills
            for client in self.clients { try await client.client.update(client.farewell) }
            try await self.proxy.calm()
            for room in ChaosCast.rooms {
                await self.ledger.publish(ChaosReading.end, lane: "end", with: self.clients[0].client, to: room)
            }
            var outcome = Outcome()
            for try await readings in group { outcome.readings += readings }
            await self.settle(rooms)
            try await self.look(&outcome)
            return outcome
        }
    }

    /// Those who are to read everything are there before anything is published.
    private func joinAll() async throws -> [ChaosStay: Room<String>] {
        var rooms: [ChaosStay: Room<String>] = [:]
        for client in self.clients where client.role.habit.stays {
            for name in client.role.listens {
                let membershipID = ChaosStay(member: client.role.name, room: name)
                rooms[membershipID] = try await client.client.join(name, of: String.self)
            }
        }
        return rooms
    }

    private func killBrokers() async throws {
        for kill in 1...self.script.kills {
            await self.ledger.progress.reached(self.script.total * kill / (self.script.kills + 1))
            try await self.proxy.forward(to: nil)
            try await self.broker.kill9()
            try await self.broker.restart()
            try await self.proxy.forward(to: self.broker.clientPort)
        }
    }

    // MARK: The end

    /// Waits until every member of the observable room sees who is there.
    private func settle(_ rooms: [ChaosStay: Room<String>]) async {
        await withTaskGroup { group in
            for (membershipID, room) in rooms where membershipID.room == ChaosCast.observable {
                group.addTask {
                    if self.isSettled(room) { return }
                    for await _ in room.events where self.isSettled(room) { return }
                }
            }
        }
    }

    /// Whether the members are those who are there and what they have said of themselves last: nobody who has gone, nobody
    /// twice.
    private func isSettled(_ room: Room<String>) -> Bool {
        let here = self.clients.filter { $0.role.listens.contains(room.name) && $0.role.habit.stays }
        let expected = here.map { "\($0.client.clientID ?? "") \($0.farewell)" }
        return room.members.map { "\($0.id) \($0.profile ?? MemberProfile(name: "nobody"))" }.sorted()
            == expected.sorted()
    }

    private func look(_ outcome: inout Outcome) async throws {
        for room in ChaosCast.rooms {
            outcome.histories[room] = try await StoredMessage.all(
                of: room,
                port: self.broker.port,
                token: self.mint?.token()
            )
        }
        outcome.members = try await RawClient.with(port: self.broker.port, token: self.mint?.token()) { client in
            let reply = try await client.ask(#""type":"members","room":"\#(ChaosCast.observable)""#)
            return (reply.list("members") ?? []).compactMap { $0.object("clientData")?.text("name") }.sorted()
        }
        outcome.connections = try await self.proxy.accepted()
        outcome.alarms = self.broker.alarms
    }
}
