import RoomModel
import Testing

struct IPAddressTests {
    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:1", "::1"),
            ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::192.0.2.1", "::c000:201"),
            ("fe80::1%eth0", "fe80::1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ]
    )
    func `an address has one canonical text`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        arguments: [
            "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.", "1..2.3",
            "+1.2.3.4",
            "1.2.3.-4", "0x1.2.3.4", "1.2.3.4%eth0", ":", ":::", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::", "::1::", "1::2::3", "12345::", "g::", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5",
            "fe80::1%",
            "[::1]", "::1/64", "localhost", "1.2.3.4:80", "١.2.3.4", "::\u{0}1", "99999999999999999999.1.1.1",
            "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5::6:7:8:9",
        ]
    )
    func `what is not an address is refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `loopback is 127/8 and ::1, mapped or not`() throws {
        for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(IPAddress(text)).isLoopback, "\(text)")
        }
        for text in ["128.0.0.1", "::2", "::", "1::1", "::127.0.0.1", "0.0.0.0"] {
            #expect(try !#require(IPAddress(text)).isLoopback, "\(text)")
        }
    }

    @Test func `a network is an address of IPv4 and a 64 of IPv6`() {
        #expect(IPAddress("192.0.2.1")?.network == IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:db8::1:2:3:4")?.network == IPAddress("2001:db8::"))
        #expect(IPAddress("2001:db8:0:1::1")?.network != IPAddress("2001:db8::"))
    }

    @Test func `the text of any address reads back as it`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<1_000 {
            // few bits set, so that there are runs of zeros
            let masks = (0..<4).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
            let spread: UInt64 = 0xffff_0000_ffff_0000
            let address = IPAddress(high: masks[0] & masks[1] & spread, low: masks[2] & masks[3] & ~spread)
            #expect(IPAddress("\(address)") == address, "\(address)")
        }
    }
}
