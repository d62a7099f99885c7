import Foundation
import NIOSSL
import Testing

@testable import RoomClient

@Suite struct TLSFailureTests {
    @Test func `a name that does not match is told`() throws {
        let failure = try #require(TLSFailure(NIOSSLExtraError.failedToValidateHostname, validity: nil, now: Date()))
        #expect(failure.reason.contains("another name"))
    }

    @Test func `a port that answers otherwise speaks no TLS`() throws {
        let error = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))
        #expect(try #require(TLSFailure(error, validity: nil, now: Date())).reason == "the port does not speak TLS")
    }

    @Test func `what else ends a connection is no failure of TLS`() {
        #expect(TLSFailure(NIOSSLError.uncleanShutdown, validity: nil, now: Date()) == nil)
        #expect(TLSFailure(CancellationError(), validity: nil, now: Date()) == nil)
    }
}
