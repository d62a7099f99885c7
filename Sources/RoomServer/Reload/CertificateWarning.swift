import Logging

/// Has the log say that the certificate ends or has ended: at once, and then once a day.
struct CertificateWarning {
    private struct Told: Equatable {
        let term: CertificateTerm
        let state: CertificateTerm.State
        let day: Int64
    }

    private var told: Told?

    /// - Parameter now: Unix seconds.
    /// - Returns: what is to be told now; `nil`: nothing.
    mutating func due(_ term: CertificateTerm, now: Int64) -> CertificateTerm.State? {
        let news = Told(term: term, state: term.state(at: now), day: now / 86_400)
        guard news != self.told else { return nil }
        self.told = news
        return news.state == .good ? nil : news.state
    }
}

extension Logger {
    func warn(_ state: CertificateTerm.State, of term: CertificateTerm, file: String) {
        var metadata: Metadata = ["file": "\(file)", "expires": "\(CertificateTerm.text(term.end))"]
        switch state {
        case .good: break
        case .notYet:
            metadata["begins"] = "\(CertificateTerm.text(term.start))"
            metadata["code"] = "certificate_not_yet_valid"
            self.error("the certificate is not valid yet: clients refuse to connect", metadata: metadata)
        case .endsSoon:
            metadata["code"] = "certificate_expires_soon"
            self.warning("the certificate expires soon", metadata: metadata)
        case .ended:
            metadata["code"] = "certificate_expired"
            self.error("the certificate has expired: clients refuse to connect", metadata: metadata)
        }
    }
}
