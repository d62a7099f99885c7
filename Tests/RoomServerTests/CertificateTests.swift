import Testing

@testable import RoomServer

@Suite struct CertificateTests {
    private static let day: Int64 = 86_400
    /// For a year.
    private let year = CertificateTerm(start: 100 * day, end: 465 * day)

    @Test(
        arguments: [
            (99.9, .notYet), (100, .good), (450.9, .good), (451.1, .endsSoon), (464.9, .endsSoon), (465, .ended),
            (9_000, .ended),
        ] as [(Double, CertificateTerm.State)]
    )
    func `a certificate for a year ends soon two weeks before its end`(_ day: Double, _ state: CertificateTerm.State) {
        #expect(self.year.state(at: Int64(day * 86_400)) == state)
    }

    @Test func `one for six days ends soon in its last third`() {
        let term = CertificateTerm(start: 0, end: 6 * Self.day)
        #expect(term.state(at: 4 * Self.day) == .good)
        #expect(term.state(at: 4 * Self.day + 1) == .endsSoon)
    }

    @Test func `a warning comes at once, then once a day, and again for another certificate`() {
        let other = CertificateTerm(start: 0, end: 461 * Self.day)
        let looks: [(CertificateTerm, Int64)] = [
            (self.year, 200 * Self.day), (self.year, 460 * Self.day), (self.year, 460 * Self.day + 60),
            (self.year, 461 * Self.day), (other, 461 * Self.day + 60), (self.year, 465 * Self.day),
        ]
        var warning = CertificateWarning()
        let told = looks.map { warning.due($0, now: $1) }
        #expect(told == [nil, .endsSoon, nil, .endsSoon, .ended, .ended])
    }

    @Test(
        arguments: [
            (99.0, .problem, "from 1970-04-11T00:00:00Z on only"), (200, .ok, "until 1971-04-11T00:00:00Z, 265 days"),
            (464, .warning, "expires on 1971-04-11T00:00:00Z, in 24 hours"),
            (475, .problem, "expired on 1971-04-11T00:00:00Z, 10 days ago"),
        ] as [(Double, Finding.Status, String)]
    )
    func `the doctor says the file and the date`(_ day: Double, _ status: Finding.Status, _ text: String) {
        let files = TLSFiles(certificate: "/tls/chain.pem", key: "/tls/key.pem")
        let finding = CertificateCheck(files: files, now: Int64(day * 86_400)).finding(self.year)
        #expect(finding.status == status)
        #expect(finding.text.hasPrefix("/tls/chain.pem ") && finding.text.contains(text))
        #expect(status == .ok ? finding.advice == nil : finding.advice?.contains("/tls/key.pem") == true)
    }

    @Test func `little room is told of at once, when it becomes less, and each day`() {
        let looks: [(Int64, Int64)] = [
            (1 << 30, 0), ((1 << 30) - 1, 60), (500 << 20, 120), ((100 << 20) - 1, 180), (0, 240), (0, Self.day),
            (2 << 30, Self.day + 60),
        ]
        var warning = SpaceWarning()
        let told = looks.map { warning.isDue(FreeSpace($0), now: $1) }
        #expect(told == [false, true, false, true, false, true, false])
    }
}
