import Foundation
import RoomCore

/// Whether the certificate can be used, and for how long.
struct CertificateCheck {
    let files: TLSFiles
    /// Unix seconds.
    let now: Int64

    func findings() -> [Finding] {
        let paths: [String] = [self.files.certificate, self.files.key]
        if let path = paths.first(where: { access($0, R_OK) != 0 && errno == EACCES }) {
            return [
                Finding(
                    "certificate",
                    .warning,
                    "you may not read \(path)",
                    advice: "run the doctor as the user that the broker runs as, or as root"
                )
            ]
        }
        do throws(StartError) {
            return [self.finding(try self.files.load().term)]
        } catch {
            return [
                Finding(
                    "certificate",
                    .problem,
                    error.description,
                    advice:
                        "mend the files: a broker that runs notices, and one that is started with these does not start"
                )
            ]
        }
    }

    func finding(_ term: CertificateTerm) -> Finding {
        let file = self.files.certificate
        let advice = """
            put a new certificate in the place of \(file), and its key in the place of \(self.files.key): the broker notices, \
            without a restart
            """
        let end = CertificateTerm.text(term.end)
        switch term.state(at: self.now) {
        case .good: return Finding("certificate", .ok, "\(file) can be used until \(end), \(self.days(to: term.end))")
        case .endsSoon:
            return Finding(
                "certificate",
                .warning,
                "\(file) expires on \(end), in \(self.days(to: term.end))",
                advice: advice
            )
        case .ended:
            return Finding(
                "certificate",
                .problem,
                "\(file) expired on \(end), \(self.days(to: term.end)) ago: clients refuse to connect",
                advice: advice
            )
        case .notYet:
            return Finding(
                "certificate",
                .problem,
                "\(file) can be used from \(CertificateTerm.text(term.start)) on only: clients refuse to connect",
                advice: "look at the clock; else \(advice)"
            )
        }
    }

    /// `3 days`, or `5 hours` where it is less than two.
    private func days(to end: Int64) -> String {
        let hours = abs(end - self.now) / 3_600
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}
