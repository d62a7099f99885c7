import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster

struct NodeRequestTests {
    @Test(arguments: [
        NodeRequest.session(token: "0.1.2.3.a.\"", .make()), .figures, .past,
        .expel(ClientID("a"), .make(), reason: nil), .expel(ClientID("a"), .make(), reason: "1\n2"),
        .applied(partition: 15, LogOffset(rawValue: .max)), .query(.statistics), .query(.clients(of: .make())),
        .query(.trace(.make(7), in: .make("r\""))),
        .query(.members([ClientID("a"), ClientID("b\"")], of: .make("r"))),
    ])
    func `a question is read as it was written`(question: NodeRequest) {
        #expect(NodeRequest(question.bytes) == question)
    }

    @Test(arguments: [
        "", "{}", #"{"ask":"more"}"#, #"{"ask":"session","token":"a"}"#, #"{"ask":"kick","channel":"c"}"#,
        #"{"ask":"applied","partition":1}"#, #"{"ask":"applied","partition":-1,"place":1}"#,
        #"{"ask":"clients"}"#, #"{"ask":"members","channel":"c","room":"r"}"#,
        #"{"ask":"trace","channel":"c","room":"r","id":"7"}"#,
    ])
    func `what is no question of this version is not answered`(text: String) {
        #expect(NodeRequest(ByteBuffer(string: text)) == nil)
    }

    @Test func `a session reaches another node as it was`() {
        let session = ResumedSession(
            channel: .make(),
            clientID: ClientID("ann"),
            clientData: ByteBuffer(string: #"{"name": "\u0041nn"}"#),
            user: "17",
            address: IPAddress("2001:db8::1"),
            resumes: 2,
            rooms: [RoomName("a"), RoomName("b\"")]
        )
        #expect(SessionElsewhere(answer: SessionElsewhere.answer(session), heardBefore: nil) == .session(session))
        #expect(SessionElsewhere(answer: SessionElsewhere.answer(nil), heardBefore: .seconds(1)) == .none)
    }

    @Test func `a node that does not answer is silent if it was ever heard`() {
        #expect(SessionElsewhere(answer: nil, heardBefore: .seconds(2)) == .silent(for: .seconds(2)))
        #expect(SessionElsewhere(answer: nil, heardBefore: nil) == .none)
        #expect(SessionElsewhere(answer: ByteBuffer(string: "{"), heardBefore: .seconds(2)) == .none)
    }

    @Test func `figures reach another node as they are`() {
        let figures = NodeFigures(connections: 3, partitions: [.init(state: "ready", place: .max)])
        #expect(NodeFigures(answer: figures.answer) == figures)
        #expect(NodeFigures(answer: ByteBuffer(string: #"{"connections":1}"#)) == nil)
    }

    @Test func `what a node has heard reaches another one, to the millisecond`() {
        let told = PastNodes.Told(
            nodes: [NodeNumber(rawValue: 1): 5_000_000, NodeNumber(rawValue: 2): 0],
            expelled: [ClientID("ann"): 7_000_000]
        )
        #expect(PastNodes.Told(answer: told.answer) == told)
        let other = #"{"nodes":[{"node":-1,"silent_ms":1},{"node":3,"silent_ms":99999999999999999}],"expelled":[{}]}"#
        #expect(PastNodes.Told(answer: ByteBuffer(string: other)) == PastNodes.Told(nodes: [:], expelled: [:]))
        #expect(PastNodes.Told(answer: ByteBuffer(string: "{}")) == nil)
    }

    @Test func `whether a client was there is told`() {
        #expect(ExpelAnswer.wasHere(ExpelAnswer.bytes(wasHere: true)))
        #expect(!ExpelAnswer.wasHere(ExpelAnswer.bytes(wasHere: false)))
    }
}
