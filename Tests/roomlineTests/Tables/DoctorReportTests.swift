import RoomServer
import Testing

@testable import roomline

@Suite struct DoctorReportTests {
    private let report = DoctorReport([
        Finding("open_files", .ok, "1048576 files may be open"),
        Finding(
            "permissions",
            .warning,
            "others may look into a directory with quite a long name (drwxr-x--x)",
            advice: "chmod 700 a directory with quite a long name, so that its owner alone can read what is in it"
        ),
        Finding("port", .problem, "--tcp 127.0.0.1:10000 is held by process 17, nginx", advice: "end that one"),
    ])

    private func lines(_ columns: Int?, _ palette: Palette = .plain) -> [String] {
        let lines = self.report.lines
        return (columns.map { width in lines.flatMap { $0.rows(columns: width) } } ?? lines)
            .map { $0.rendered(palette) }
    }

    @Test func `what is longer than a row goes on below its beginning`() throws {
        try Golden.expect(self.lines(60), "doctor-narrow")
        #expect(self.lines(60).allSatisfy { $0.columns <= 60 })
    }

    @Test func `in a pipe each text is one line without colours`() throws {
        try Golden.expect(self.lines(nil), "doctor")
    }

    @Test func `the status has a colour, and none with NO_COLOR`() {
        let starts = self.lines(80, .ansi16).filter { $0.hasPrefix("\u{1b}[3") }.map { $0.prefix(5) }
        #expect(starts == ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m"])
        #expect(self.lines(80, .monochrome).first?.hasPrefix("ok ") == true)
    }
}
