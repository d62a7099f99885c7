import RoomModel
import Testing

@Suite struct UniqueIDReadingTests {
    @Test(arguments: [
        ("019aa3c5-7b00-7004-8f21-6c0d5e4b3a04", UniqueID.stamped), ("019AA3C5-7B00-7004-8F21-6C0D5E4B3A04", .stamped),
        ("019aa3c5-7b00-7004-8f21-6c0d5e4b3a0", nil), ("019aa3c5-7b00-7004-8f21-6c0d5e4b3a045", nil),
        ("019aa3c57b00-7004-8f21-6c0d5e4b3a0045", nil), ("g19aa3c5-7b00-7004-8f21-6c0d5e4b3a04", nil), ("", nil),
    ])
    func `an id is read from bytes in a row and from others`(text: String, id: UniqueID?) {
        #expect(UniqueID(text.utf8) == id)
        #expect(UniqueID(text.utf8.lazy.map { $0 }) == id)
    }
}
