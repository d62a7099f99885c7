import RoomCore
import RoomModel
import Testing

struct FailedLoginsTests {
    @Test func `ten failures at once, then one in six seconds`() {
        let logins = FailedLogins()
        let address = IPAddress("192.0.2.1")
        for _ in 0..<10 {
            #expect(logins.retryAfter(address, now: 0) == nil)
            logins.failed(address, now: 0)
        }
        #expect(logins.retryAfter(address, now: 0) == 6_000)
        #expect(logins.retryAfter(address, now: 6_000_000_000) == nil)
        #expect(logins.retryAfter(IPAddress("192.0.2.2"), now: 0) == nil)
    }

    @Test func `loopback and peers without an address are not slowed down`() {
        let logins = FailedLogins()
        for address in [nil, IPAddress("127.0.0.1"), IPAddress("::1")] {
            for _ in 0..<100 { logins.failed(address, now: 0) }
            #expect(logins.retryAfter(address, now: 0) == nil)
        }
    }
}
