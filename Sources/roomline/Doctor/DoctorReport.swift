import RoomJSON
import RoomServer

/// What the doctor has found, as people and scripts read it.
struct DoctorReport {
    private let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
    }

    func write(to output: AdminOutput) throws(StandardOutput.Closed) {
        if output.isJSON {
            try output.write(self.tree.bytes)
        } else {
            for line in self.lines { try output.write(line) }
        }
    }

    var lines: [StyledLine] {
        let width = self.findings.map(\.check.columns).max() ?? 0
        return self.findings.flatMap { finding in
            let status = finding.status.rawValue
            let blanks = String(repeating: " ", count: 9 - status.count)
            let check = finding.check + String(repeating: " ", count: width + 2 - finding.check.columns)
            let style: StyledLine.Style = finding.status == .ok ? .dim : .normal
            let line = StyledLine(spans: [
                .init(text: status + blanks, style: style), .init(text: check, style: .dim),
                .init(text: TerminalText.line(finding.text), style: .normal),
            ])
            let advice = finding.advice.map { advice in
                let indent = String(repeating: " ", count: 9 + width + 2)
                return StyledLine.dim("\(indent)→ \(TerminalText.line(advice))")
            }
            return [line] + [advice].compactMap(\.self)
        }
    }

    private var tree: JSONTree {
        let worst = self.findings.map(\.status).max() ?? .ok
        let findings = self.findings.map { finding in
            JSONTree.object(
                [
                    .init("check", .string(finding.check)), .init("status", .string(finding.status.rawValue)),
                    .init("text", .string(finding.text)),
                ] + (finding.advice.map { [.init("advice", .string($0))] } ?? [])
            )
        }
        return .object([.init("status", .string(worst.rawValue)), .init("findings", .array(findings))])
    }
}
