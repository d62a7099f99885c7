import NIOCore
import RoomCore
import RoomTestKit
import Testing

/// A client turns out to speak plain text some time after it was accepted: it hears what was said since.
struct LateTextTests {
    private let broker = TestBroker(shards: 2)

    private func speaker(_ name: String, shard: Int = 0) -> TestConnection {
        let client = self.broker.connect(shard: shard)
        client.sendBytes("iam:\(name)\n")
        _ = client.receiveLines()
        return client
    }

    /// One that was accepted a moment ago, and has said nothing.
    private func silent(shard: Int = 0) -> TestConnection {
        let client = self.broker.connect(shard: shard)
        self.broker.advance(by: .milliseconds(1))
        return client
    }

    @Test(arguments: [0, 1])
    func `who waits hears what was said since it was accepted`(shard: Int) {
        let leia = self.speaker("Leia")
        leia.sendBytes("msg:before\n")
        self.broker.advance(by: .milliseconds(1))
        let luke = self.silent(shard: shard)
        leia.sendBytes("msg:one\niam:Ben\ntwo\n")
        self.broker.advance(by: .milliseconds(2_997))
        #expect(luke.receiveLines() == [])
        self.broker.advance(by: .milliseconds(2))
        leia.sendBytes("msg:three\n")
        let greeting = "* you are in the room lobby, without a name; type help"
        #expect(luke.receiveLines() == [greeting, "Leia: one", "Ben has joined", "Ben: two", "Ben: three"])
    }

    @Test(arguments: [0, 1])
    func `who speaks hears first what was said since it was accepted`(shard: Int) {
        let leia = self.speaker("Leia")
        let luke = self.silent(shard: shard)
        leia.sendBytes("msg:hello\n")
        self.broker.advance(by: .seconds(1))
        luke.sendBytes("iam:Luke\nmsg:hi\n")
        let lines = ["Leia: hello", "Luke has joined", "Luke: hi"]
        #expect(luke.receiveLines() == lines)
        #expect(leia.receiveLines() == lines)
    }

    @Test func `who is not shown members gets the message behind two names that are taken at once`() {
        let ann = self.broker.connect().joined("lobby", #","presence":true"#)
        let bob = self.broker.connect(shard: 1).joined("lobby")
        let (han, leia) = (self.speaker("Han"), self.speaker("Leia"))
        _ = ann.receive()
        han.sendBytes("iam:Ben\n")
        leia.sendBytes("iam:Cid\nmsg:hello\n")
        let types = ann.receive().map { $0.text("type") }
        #expect(types == ["observable_member_update", "observable_member_update", "publish"])
        #expect(bob.receive().map { $0.text("message") } == ["hello"])
    }

    @Test func `what frames and departed clients have said is heard too`() {
        let luke = self.silent()
        let json = self.broker.connect(shard: 1)
        json.handshake(data: #"{"name":"Han"}"#)
        json.say("lobby", #""from outside""#)
        json.subscribe("lobby")
        json.say("lobby", #""hello""#)
        json.say("lobby", #"{"a":1}"#)
        json.drop()
        let leia = self.speaker("Leia", shard: 1)
        leia.sendBytes("msg:bye\nquit\n")
        #expect(leia.isGone)
        luke.sendBytes("iam:Luke\n")
        #expect(
            luke.receiveLines() == [
                "Han: from outside", "Han: hello", #"Han: {"a":1}"#, "Leia has joined", "Leia: bye", "Luke has joined",
            ]
        )
    }

    @Test func `what was redacted or cleared is not heard`() {
        let luke = self.silent()
        let leia = self.speaker("Leia")
        leia.sendBytes("msg:one\n")
        #expect(leia.receiveLines() == ["Leia: one"])
        _ = self.broker.clear(.make("lobby"))
        self.broker.run()
        leia.sendBytes("msg:two\n")
        luke.sendBytes("iam:Luke\n")
        #expect(luke.receiveLines() == ["Leia: two", "Luke has joined"])
    }

    @Test func `it is the newest of so many bytes`() {
        let luke = self.silent()
        let leia = self.speaker("Leia")
        let text = String(repeating: "x", count: 1_000)
        for number in 0..<100 {
            leia.sendBytes("msg:\(number) \(text)\n")
            _ = leia.receiveLines()
        }
        luke.sendBytes("iam:Luke\n")
        let heard = luke.receiveLines()
        #expect(heard.count == 65)
        #expect(heard.first == "Leia: 36 \(text)")
        #expect(heard.suffix(2).first == "Leia: 99 \(text)")
    }

    @Test func `frames and who comes later get nothing of it`() {
        let json = self.silent()
        let leia = self.speaker("Leia")
        leia.sendBytes("msg:hello\n")
        _ = leia.receiveLines()
        self.broker.advance(by: .milliseconds(1))
        json.handshake()
        json.subscribe("lobby")
        #expect(json.receive().isEmpty)
        let luke = self.speaker("Luke")
        #expect(luke.receiveLines() == [])
    }

    @Test func `who is banned from the room and says nothing is told so, and not that it is there`() {
        self.broker.moderate { $0.sanctions.set(.imposed(on: .network("192.0.2.7"), in: "lobby", reason: "spam")) }
        let luke = self.broker.connect(from: "192.0.2.7")
        self.broker.advance(by: .seconds(3))
        #expect(luke.receiveLines() == ["* you are banned from this room: spam"])
    }
}
