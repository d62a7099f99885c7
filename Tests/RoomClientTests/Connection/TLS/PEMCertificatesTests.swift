import Foundation
import Testing

@testable import RoomClient

@Suite struct PEMCertificatesTests {
    @Test func `all certificates of a file are found, whatever stands between them`() throws {
        let text = """
            subject=CN = rooms.example
            -----BEGIN CERTIFICATE-----
            AQID
            BAUG
            -----END CERTIFICATE-----
            -----BEGIN PRIVATE KEY-----
            AAAA
            -----END PRIVATE KEY-----
            -----BEGIN CERTIFICATE-----\r\nBwg=\r\n-----END CERTIFICATE-----
            """
        #expect(try PEMCertificates(text).certificates == [Data([1, 2, 3, 4, 5, 6]), Data([7, 8])])
    }

    @Test(
        arguments: [
            "", "AQID", "-----BEGIN CERTIFICATE-----\nAQID", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----",
        ]
    )
    func `a file without a whole certificate is refused`(text: String) {
        #expect(throws: PEMCertificates.NoCertificate.self) { try PEMCertificates(text) }
    }
}
