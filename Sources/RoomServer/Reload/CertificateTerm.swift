import Foundation
import NIOSSL

/// From when until when all certificates of a chain can be used.
struct CertificateTerm: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case notYet
        case good
        case endsSoon
        case ended
    }

    /// Who renews, does it by then.
    private static let notice: Int64 = 14 * 86_400

    /// Unix seconds.
    let start: Int64
    let end: Int64

    func state(at now: Int64) -> State {
        if now >= self.end { return .ended }
        if now < self.start { return .notYet }
        // one for a few days is renewed later than one for a year
        return self.end - now < min(Self.notice, (self.end - self.start) / 3) ? .endsSoon : .good
    }

    /// `2026-11-24T00:00:00Z`
    static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}

extension CertificateTerm {
    /// - Returns: `nil` where there are no certificates.
    init?(_ chain: [NIOSSLCertificate]) {
        guard let start = chain.map(\.notValidBefore).max(), let end = chain.map(\.notValidAfter).min() else {
            return nil
        }
        self.init(start: Int64(start), end: Int64(end))
    }
}
