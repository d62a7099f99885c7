import Foundation
import NIOSSL
import Testing

@testable import RoomClient

@Suite struct TLSFailureTests {
    @Test func `a name that does not match is told`() throws {
        let failure = try #require(TLSFailure(NIOSSLExtraError.failedToValidateHostname, nil))
        #expect(failure.reason.contains("another name"))
    }

    @Test func `the names that the certificate has are told`() {
        #expect(
            TLSFailure.certified(for: ["a.example", "b.example", "c.example", "d.example"]).reason
                == "its certificate is for a.example, b.example, c.example, …, and not for the name in the URL"
        )
        #expect(TLSFailure.certified(for: ["a\u{1b}b"]) == .anotherName)
    }

    @Test func `a port that answers otherwise speaks no TLS`() throws {
        let error = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))
        #expect(try #require(TLSFailure(error, nil)).reason == "the port does not speak TLS")
    }

    @Test func `what else ends a connection is no failure of TLS`() {
        #expect(TLSFailure(NIOSSLError.uncleanShutdown, nil) == nil)
        #expect(TLSFailure(CancellationError(), nil) == nil)
    }

    @Test func `an attempt that fails by TLS does not ask whether the broker is running`() throws {
        let error = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))
        let failure = RoomClientError(connectingTo: try BrokerAddress("tls://rooms.example"), error)
        #expect("\(failure)" == "connection_failed: no encrypted connection: the port does not speak TLS")
    }

    @Test(
        arguments: [
            (-9_812, nil, TLSFailure.distrusted.reason),
            (-9_814, "ignored", "its certificate has expired"),
            (-9_815, nil, "its certificate is not valid yet"),
            (-9_843, nil, "its certificate is for another name than the one in the URL"),
            (-9_806, "the connection closed via error", "TLS failed: the connection closed via error"),
            (-9_806, nil, "TLS failed: the system's status is -9806"),
        ] as [(Int32, String?, String)]
    )
    func `a status of Apple's Security framework is told in our words`(status: Int32, words: String?, reason: String) {
        #expect(TLSFailure(status: status, words: words).reason == reason)
    }
}
