import Foundation

/// The certificates of a PEM file (RFC 7468), for a system that reads only DER.
struct PEMCertificates: Equatable {
    /// In DER, in the order of the file.
    let certificates: [Data]

    struct NoCertificate: LocalizedError {
        var errorDescription: String? { "there is no certificate in PEM form" }
    }

    /// - Throws: when the file cannot be read, or has no certificate.
    init(contentsOf file: String) throws {
        try self.init(String(contentsOfFile: file, encoding: .utf8))
    }

    init(_ text: String) throws(NoCertificate) {
        var certificates: [Data] = []
        for part in text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst() {
            guard let end = part.range(of: "-----END CERTIFICATE-----"),
                let data = Data(base64Encoded: String(part[..<end.lowerBound]), options: .ignoreUnknownCharacters),
                !data.isEmpty
            else { throw NoCertificate() }
            certificates.append(data)
        }
        guard !certificates.isEmpty else { throw NoCertificate() }
        self.certificates = certificates
    }
}
