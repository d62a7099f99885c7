import RoomModel
import Testing

struct AddressRangeTests {
    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.9", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/64", "2001:db8::ffff:1:2:3", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("2001:db8::1", "2001:db8::1", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
        ]
    )
    func `a range contains its addresses`(range: String, address: String, isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "10/8",
            "::/129",
            "2001:db8::1/64", "::ffff:10.0.0.0/8", "fe80::%eth0/10", "fe80::%\u{316}h0", "localhost", "10.0.0.0/ 8",
        ]
    )
    func `what is not a range is refused, and bits behind the prefix`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1", "0.0.0.0/0", "::/0"])
    func `a range is shown as it is written`(text: String) throws {
        #expect(try #require(AddressRange(text)).description == text)
    }
}
