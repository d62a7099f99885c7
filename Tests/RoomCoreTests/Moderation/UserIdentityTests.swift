import Testing

@testable import RoomCore

/// Whom a token's `data` names.
struct UserIdentityTests {
    @Test(
        arguments: [
            (#""bob""#, "bob"), ("42", "42"), ("4.20", "4.20"), (#"{"id":"bob"}"#, "bob"), (#"{"user_id":7}"#, "7"),
            (#"{"sub":"b","x":{"id":"no"}}"#, "b"), (#"{"sub":"s","user_id":"u","id":"i"}"#, "i"),
            (#"{"id":null,"user_id":"u"}"#, "u"), (#"{"id":{"id":"deep"},"sub":"s"}"#, "s"), (#""b\u00f6b""#, "böb"),
        ]
    )
    func `the value itself, or the first of its id, user_id and sub`(data: String, user: String) {
        #expect(UserIdentity.of(Array(data.utf8)) == user)
    }

    @Test(arguments: [
        "null", "true", "[]", #"["bob"]"#, "{}", #"{"name":"bob"}"#, #""""#, #"{"id":""}"#, #"{"id":"#, "",
    ])
    func `what names nobody is nobody`(data: String) {
        #expect(UserIdentity.of(Array(data.utf8)) == nil)
    }

    @Test func `a name can have 200 bytes`() {
        #expect(UserIdentity.of(Array("\"\(String(repeating: "b", count: 200))\"".utf8))?.utf8.count == 200)
        #expect(UserIdentity.of(Array("\"\(String(repeating: "b", count: 201))\"".utf8)) == nil)
    }
}
