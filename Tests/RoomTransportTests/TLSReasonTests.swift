import NIOSSL
import Testing

@testable import RoomTransport

@Suite struct TLSReasonTests {
    @Test(
        arguments: [
            ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "the client says that the certificate has expired"),
            ("TLSV1_ALERT_UNKNOWN_CA", "the client does not trust the issuer of the certificate"),
            ("BAD_SIGNATURE", "bad signature"),
        ]
    )
    func `the reason is found in a dump`(_ name: String, _ text: String) {
        let dump =
            "[Error: 268436501 error:10000415:SSL routines:OPENSSL_internal:\(name) at /home/ssl/tls_record.cc:491]"
        #expect(TLSReason.words(in: dump) == text)
    }

    @Test func `only what is wrong with TLS is a fault of it`() {
        #expect(TLSReason.fault(NIOSSLError.uncleanShutdown) == nil && TLSReason.fault(CancellationError()) == nil)
        #expect(TLSReason.fault(NIOSSLError.handshakeFailed(.sslError([])))?.hasPrefix("TLS failed: ") == true)
    }

    @Test func `what is no dump stays as it is`() {
        #expect(TLSReason.words(in: "unexpected") == "unexpected")
        #expect(TLSReason.text(NIOSSLError.failedToLoadCertificate) == "there is no certificate in PEM form")
    }
}
