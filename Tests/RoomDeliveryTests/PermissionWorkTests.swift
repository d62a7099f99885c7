import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery

/// What it costs to ask tokens about rooms: whoever names the rooms pays, in turns. Counted in units of work.
struct PermissionWorkTests {
    private static let patterns = 60
    private static let rooms = 400
    /// Between two looks at the sockets: what works at once, and what waits, with the last piece of each.
    private static let most = 2_000 + 500 + 500

    private let broker = TestBroker(
        channels: [.make(history: nil, authentication: .optional)],
        waitsForSockets: true,
        // no pattern is slow
        processorClock: ProcessorClock { 0 }
    )

    /// None of them is plain text.
    private static func token(granting word: String, _ more: String = "") -> String {
        let patterns = (0..<Self.patterns).map { "\"^(alpha|beta)-\($0)-[a-z]+$\":{\"subscribe\":true}" }
        let permissions = "{\(patterns.joined(separator: ",")),\"^\(word)-\":{\"subscribe\":true}}"
        return TestToken.make(permissions, data: more.isEmpty ? nil : more)
    }

    private static func names(_ word: String, _ count: Int = Self.rooms) -> String {
        (0..<count).map { "\"\(word)-\($0)\"" }.joined(separator: ",")
    }

    private func connect(_ token: String) -> (client: TestConnection, connection: Connection)? {
        let client = self.broker.connect()
        client.send(#"{"type":"handshake","channel":"test","token":"\#(token)","callback":1}"#)
        for _ in 0..<5 { self.broker.lookAtSockets() }
        guard client.receive().contains(where: { $0.callback == 1 && $0.code == nil }) else { return nil }
        let table = self.broker.shards[0].onLoop.connections
        return table[table.numbers[table.count - 1]].map { (client, $0) }
    }

    /// Looks at the sockets until the frame is answered.
    ///
    /// - Returns: what it has cost, and the most of it between two looks.
    private func cost(
        of frame: String,
        _ client: TestConnection,
        _ connection: Connection
    ) -> (all: Int, most: Int, reply: ReceivedFrame?) {
        let start = connection.share.spent
        client.send(frame)
        var (before, most) = (start, 0)
        for _ in 0..<2_000 {
            self.broker.lookAtSockets()
            most = max(most, connection.share.spent - before)
            before = connection.share.spent
            if let reply = client.receive().first(where: { $0.callback == 2 }) {
                return (before - start, most, reply)
            }
        }
        return (before - start, most, nil)
    }

    @Test(arguments: ["open", "shut"])
    func `who names many rooms pays for each pattern of its token, also where all are refused`(word: String) throws {
        let (client, connection) = try #require(self.connect(Self.token(granting: "open")))
        // the patterns are compiled once
        _ = self.cost(of: #"{"type":"subscribe","room":"shut-first","callback":2}"#, client, connection)
        let subscribe = #"{"type":"subscribe","rooms":[\#(Self.names(word))],"callback":2}"#
        let first = self.cost(of: subscribe, client, connection)
        #expect(first.reply?.list("rooms")?.count { $0.code == nil } == (word == "open" ? Self.rooms : 0))
        #expect(first.all >= Self.rooms * Self.patterns * 2, "\(first.all) units")
        #expect(first.most <= Self.most, "\(first.most) units at once")
        // the answers are known now, for everybody whose token says the same
        let (other, second) = try #require(self.connect(Self.token(granting: "open", #""another""#)))
        let again = self.cost(of: subscribe, other, second)
        #expect(again.reply?.list("rooms")?.count { $0.code == nil } == (word == "open" ? Self.rooms : 0))
        #expect(again.all < first.all / 3, "\(again.all) units after \(first.all)")
    }

    @Test func `another token is asked about the rooms that its member is in, in turns`() throws {
        let (client, connection) = try #require(self.connect(Self.token(granting: "open")))
        _ = self.cost(of: #"{"type":"subscribe","rooms":[\#(Self.names("open"))],"callback":2}"#, client, connection)
        let token = Self.token(granting: "open-1")
        let shown = self.cost(of: #"{"type":"authenticate","token":"\#(token)","callback":2}"#, client, connection)
        #expect(shown.reply?.code == nil)
        #expect(shown.all >= Self.rooms * Self.patterns * 2, "\(shown.all) units")
        #expect(shown.most <= Self.most, "\(shown.most) units at once")
        let rooms = self.cost(of: #"{"type":"rooms","callback":2}"#, client, connection)
        #expect(rooms.reply?.list("rooms")?.allSatisfy { $0.room?.hasPrefix("open-1-") ?? false } == true)
    }

    @Test func `a frame for one room is charged too`() throws {
        let (client, connection) = try #require(self.connect(Self.token(granting: "open")))
        for fields in [
            #""type":"publish","room":"shut-1","message":1"#, #""type":"subscribe","room":"shut-2""#,
            #""type":"history","room":"shut-3""#,
        ] {
            let refused = self.cost(of: "{\(fields),\"callback\":2}", client, connection)
            #expect(refused.reply?.code == "permission_denied")
            #expect(refused.all >= Self.patterns * 2, "\(refused.all) units")
        }
    }
}
