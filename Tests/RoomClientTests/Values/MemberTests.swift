import NIOCore
import RoomModel
import Testing

@testable import RoomClient

struct MemberTests {
    private static let white = MemberColor(red: 255, green: 255, blue: 255)

    private static func sender(_ json: String) -> MessageSender { MessageSender(ByteBuffer(string: json)) }

    @Test func `a sender is a member, or a service`() throws {
        let ann = Member(id: "ann", clientData: try JSON("[1.0]"), authData: try JSON(#"{"role":"x"}"#))
        #expect(Self.sender(#"{"id":"ann","clientData":[1.0],"authData":{"role":"x"}}"#) == .member(ann))
        #expect(Self.sender(#"{"id":"a","kind":"admin","x":1}"#) == .service(id: "a", kind: "admin"))
    }

    @Test(
        arguments: [
            (#"{"name":"Ann","color":"white"}"#, MemberProfile(name: "Ann", color: white)),
            (##"{"name":"Ann","color":"#FFF"}"##, MemberProfile(name: "Ann", color: white)),
            (#"{"name":"Ann","color":"\u001b[31m"}"#, MemberProfile(name: "Ann")),
            (#"{"name":"Ann","color":["white"]}"#, MemberProfile(name: "Ann")),
            (#"{"name":"Ann","age":7}"#, MemberProfile(name: "Ann")), (#"{"color":"white"}"#, nil), ("7", nil),
            ("null", nil),
        ] as [(String, MemberProfile?)]
    )
    func `the profile is there where the data has a name`(data: String, profile: MemberProfile?) throws {
        #expect(Member.make(data: try JSON(data)).profile == profile)
        #expect(Member.make().profile == nil)
    }

    @Test func `a profile is written with its colour as digits`() throws {
        let profile = try MemberProfile(name: "Ann", color: "Teal")
        let fields = try JSON(encoding: profile).decode(as: [String: String].self)
        #expect(fields == ["name": "Ann", "color": "#008080"])
        #expect(profile.displayColor == MemberColor(red: 0, green: 0x80, blue: 0x80))
        #expect(MemberProfile(name: "Ann").displayColor == .derived(from: "Ann"))
        let error = #expect(throws: RoomClientError.self) { try MemberProfile(name: "Ann", color: "teel") }
        #expect(error?.code == .invalidField)
        #expect(
            error?.message
                == "teel is not a colour; it has to be like #2e7d32, or a name as CSS has them, such as teal; did you mean teal?"
        )
    }

    @Test(
        arguments: [
            (#""u7""#, "u7"), ("12.50", "12.50"), ("-3", "-3"), (#"{"sub":"s","user_id":7,"x":1}"#, "7"),
            (#"{"id":"a","sub":"s"}"#, "a"), (#"{"id":null,"sub":"s"}"#, "s"), (#"{"id":"","sub":"s"}"#, nil),
            ("true", nil), ("[1]", nil), (#"{"name":"x"}"#, nil), (#""""#, nil),
        ] as [(String, String?)]
    )
    func `a user is who the token says`(authData: String, user: String?) throws {
        #expect(Member(id: "1", clientData: nil, authData: try JSON(authData)).user == user)
        #expect(Member.make(data: try JSON(authData)).user == nil)
    }

    @Test func `a position goes through the wire and back`() throws {
        let position = RoomPosition(epoch: "00000000000000ff", seq: 7)
        #expect(RoomPosition(Position(position)) == position)
        #expect(Position(RoomPosition(epoch: "other", seq: 7)) == Position(epoch: nil, seq: 7))
    }
}
