import Logging

/// Has the log say that the certificate ends or has ended: at once, and then once a day.
struct CertificateWarning {
    private struct News: Equatable {
        let term: CertificateTerm
        let state: CertificateTerm.State
    }

    private var news = DailyNews<News>()

    /// - Parameter now: Unix seconds.
    /// - Returns: what is to be told now; `nil`: nothing.
    mutating func due(_ term: CertificateTerm, now: Int64) -> CertificateTerm.State? {
        let state = term.state(at: now)
        return self.news.isNew(News(term: term, state: state), now: now) && state != .good ? state : nil
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
