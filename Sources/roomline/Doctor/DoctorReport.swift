import RoomAdmin
import RoomJSON
import RoomServer

/// The findings of the doctor, as people and scripts read them.
struct DoctorReport {
    private let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
    }

    func write(to output: AdminOutput) throws(StandardOutput.Closed) {
        if output.isJSON {
            try output.write(self.tree.bytes)
        } else {
            try output.write(wrapped: self.lines)
        }
    }

    /// A line that is longer than a row goes on below its beginning.
    var lines: [StyledLine] {
        let width = self.findings.map(\.check.columns).max() ?? 0
        let indent = 9 + width + 2
        return self.findings.flatMap { finding in
            let status = finding.status.rawValue
            let blanks = String(repeating: " ", count: 9 - status.count)
            let check = finding.check + String(repeating: " ", count: width + 2 - finding.check.columns)
            let line = StyledLine(
                spans: [
                    .init(text: status, style: finding.status.style), .init(text: blanks, style: .normal),
                    .init(text: check, style: .dim), .init(text: TerminalText.line(finding.text), style: .normal),
                ],
                indent: indent
            )
            let advice = finding.advice.map { advice in
                let blanks = String(repeating: " ", count: indent)
                return StyledLine.dim("\(blanks)→ \(TerminalText.line(advice))", indent: indent + 2)
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

extension Finding.Status {
    fileprivate var style: StyledLine.Style {
        switch self {
        case .ok: .good
        case .warning: .warning
        case .problem: .bad
        }
    }
}
