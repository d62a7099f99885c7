import NIOCore
import RoomModel
import Testing

@testable import RoomClient

struct MemberTests {
    private static func sender(_ json: String) -> MessageSender { MessageSender(ByteBuffer(string: json)) }

    @Test func `a sender is a member, or a service`() throws {
        let ann = Member(id: "ann", clientData: try JSON("[1.0]"), authData: try JSON(#"{"role":"x"}"#))
        #expect(Self.sender(#"{"id":"ann","clientData":[1.0],"authData":{"role":"x"}}"#) == .member(ann))
        #expect(Self.sender(#"{"id":"a","kind":"admin","x":1}"#) == .service(id: "a", kind: "admin"))
    }

    @Test(
        arguments: [
            (#"{"name":"Ann","color":"white"}"#, MemberProfile(name: "Ann", color: "white")),
            (#"{"name":"Ann","age":7}"#, MemberProfile(name: "Ann")), (#"{"color":"white"}"#, nil), ("7", nil),
            ("null", nil),
        ] as [(String, MemberProfile?)]
    )
    func `the profile is there where the data has a name`(data: String, profile: MemberProfile?) throws {
        #expect(Member.make(data: try JSON(data)).profile == profile)
        #expect(Member.make().profile == nil)
    }

    @Test func `a position goes through the wire and back`() throws {
        let position = RoomPosition(epoch: "00000000000000ff", seq: 7)
        #expect(RoomPosition(Position(position)) == position)
        #expect(Position(RoomPosition(epoch: "other", seq: 7)) == Position(epoch: nil, seq: 7))
    }
}
