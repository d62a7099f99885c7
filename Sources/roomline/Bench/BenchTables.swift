import Foundation
import RoomBench
import RoomHost

/// A result as people read it.
enum BenchTables {
    static func sheet(_ report: BenchReport, _ process: HostProcess?) -> FactTable {
        var sheet = FactTable()
        sheet.add("broker", Cell(report.server))
        let histories = Set(report.workloads.compactMap(\.isStored))
        let history = histories.count == 1 ? histories.first.map { $0 ? ", history on" : ", history off" } : nil
        sheet.add("channel", Cell(report.channel + (history ?? "")))
        let version = report.brokerVersion.map { " (\($0))" } ?? ""
        let place = process.map { Cell("\($0.id)\(version)") }
        sheet.add("process", place ?? Cell("not known: --pid names it, for its processor time and memory", style: .dim))
        return sheet
    }

    static func figures(_ report: BenchReport) -> Table {
        Table(
            [
                .text("WORKLOAD"), .number("PER SECOND"), .text(""), .number("P50 µs"), .number("P90 µs"),
                .number("P99 µs"), .number("P99.9 µs"), .number("MAX µs"), .number("CPU µs"), .number("KiB/CONN"),
                .number("MiB/s"), .number("SPREAD"),
            ],
            report.workloads.map { result in
                let latencies = result.latencies
                func latency(_ value: Double?) -> Cell { .optional(value, BenchFigure.count) }
                return [
                    Cell(result.workload.rawValue), Cell(BenchFigure.count(result.operationsPerSecond)),
                    Cell(result.workload.operation), latency(latencies?.p50), latency(latencies?.p90),
                    latency(latencies?.p99), latency(latencies?.p999), latency(latencies?.max),
                    .optional(result.brokerMicroseconds, BenchFigure.decimal),
                    .optional(result.bytesPerConnection) { BenchFigure.decimal($0 / 1_024) },
                    Cell(BenchFigure.decimal(result.bytesPerSecond / 1_048_576)),
                    .optional(result.spread) { "\(Int(($0 * 100).rounded())) %" },
                ]
            }
        )
    }

    /// Notes on the figures, a line each.
    static func notes(_ report: BenchReport) -> [String] {
        report.workloads.flatMap { result in result.notes.map { "\(result.workload): \($0)" } }
    }

    static func title(of earlier: EarlierReport, in timeZone: TimeZone) -> String {
        let date = try? Date(earlier.report.date, strategy: .iso8601)
        let moment = date.map { ShownTime.moment($0, in: timeZone) } ?? earlier.report.date
        return TerminalText.line("now / then: \(earlier.path), measured \(moment)")
    }

    static func ratios(_ comparison: BenchComparison) -> Table {
        Table(
            [
                .text("WORKLOAD"), .number("PER SECOND"), .number("P50"), .number("P99"), .number("CPU"),
                .number("KiB/CONN"),
            ],
            comparison.rows.map { row in
                let ratios = [
                    row.operationsPerSecond, row.p50, row.p99, row.brokerMicroseconds, row.bytesPerConnection,
                ]
                return [Cell(row.workload.rawValue)] + ratios.map { .optional($0, BenchFigure.ratio) }
            }
        )
    }
}

/// Numbers for people.
enum BenchFigure {
    /// `4,006,020`
    static func count(_ value: Double) -> String {
        let digits = String(Int(max(value, 0).rounded()))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// With three digits that count: `0.248`, `6.62`, `114`.
    static func decimal(_ value: Double) -> String {
        let places = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0
        return places == 0 ? self.count(value) : self.fixed(value, places)
    }

    /// `1.03`
    static func ratio(_ value: Double) -> String { self.fixed(value, 2) }

    private static func fixed(_ value: Double, _ places: Int) -> String {
        value.formatted(
            .number.precision(.fractionLength(places)).grouping(.never).locale(Locale(identifier: "en_US_POSIX"))
        )
    }
}
