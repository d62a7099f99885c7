import RoomClient
import RoomTestKit

/// One client of a chaos run: what it reads and what it writes.
struct ChaosClient: Sendable {
    enum Habit: Sendable {
        case reader
        /// Reads a little, waits for the others to have published more, reads on.
        case slowReader
        /// Comes when half is published, and asks for all of it.
        case latecomer
        /// Leaves after a few messages and comes back for the next ones.
        case wanderer

        /// Is in its rooms from the beginning to the end.
        var stays: Bool { self == .reader || self == .slowReader }
    }

    struct Role: Sendable {
        let name: String
        var habit = Habit.reader
        var listens: [String] = []
        var publishes: [String] = []
        var feedBuffer = RoomClient.Configuration.FeedBuffer()
        var outbox = RoomClient.Configuration.Outbox()
    }

    let role: Role
    let client: RoomClient

    /// - Parameter tokens: signs one for each connection that holds for a second or two; `nil`: none is wanted.
    init(_ role: Role, url: String, tokens: TokenMint?) throws {
        var configuration = RoomClient.Configuration()
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        // Short enough for stalls to be found within a test.
        configuration.heartbeat = .seconds(1)
        configuration.connectTimeout = .seconds(2)
        configuration.feedBuffer = role.feedBuffer
        configuration.outbox = role.outbox
        let member = MemberProfile(name: role.name)
        let provider = tokens.map { mint in TokenSource.provider { mint.token(client: $0, validFor: 1) } }
        self.client = try RoomClient(
            url,
            channel: "default",
            member: member,
            token: provider ?? .none,
            configuration: configuration
        )
        self.role = role
    }

    /// What it says of itself last.
    var farewell: MemberProfile { MemberProfile(name: self.role.name, color: .derived(from: "the end")) }

    /// All states of the connection up to its end.
    func states() async -> [ConnectionState] {
        var states: [ConnectionState] = []
        for await state in self.client.connectionState { states.append(state) }
        return states
    }
}
