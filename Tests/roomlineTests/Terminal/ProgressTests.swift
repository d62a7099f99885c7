import Testing

@testable import roomline

/// What a command says of something long, and when.
@Suite struct ProgressTests {
    private func progress(_ form: Progress.Form, _ unit: Progress.Unit = .bytes, of total: UInt64? = 2_000) -> Progress
    {
        var progress = Progress(form, now: .seconds(100))
        progress.begin("fetching", unit, of: total, now: .seconds(100))
        return progress
    }

    @Test(arguments: [Progress.Form.bar, .lines, .none])
    func `what takes less than a second says nothing`(_ form: Progress.Form) {
        var progress = self.progress(form)
        progress.advance(by: 1_000)
        #expect(progress.shown(now: .milliseconds(100_999), columns: 80) == nil)
        #expect(progress.end() == nil)
    }

    @Test func `a terminal has a bar, ten times a second at most`() {
        var progress = self.progress(.bar)
        progress.advance(by: 500)
        let bar = "[" + String(repeating: "=", count: 7) + String(repeating: " ", count: 23) + "]"
        #expect(
            progress.shown(now: .seconds(102), columns: 80) == "\rfetching  \(bar)  25 %  500 B of 2.0 KiB  2s\u{1b}[K"
        )
        progress.advance(by: 1_500)
        #expect(progress.shown(now: .milliseconds(102_099), columns: 80) == nil)
        #expect(progress.shown(now: .milliseconds(102_100), columns: 80)?.contains("100 %  2.0 KiB of 2.0 KiB") == true)
        #expect(progress.end() == "\r\u{1b}[K")
        #expect(progress.shown(now: .seconds(200), columns: 80) == nil && progress.end() == nil)
    }

    @Test(arguments: [10, 20, 40, 60, 80, 200])
    func `a bar is no wider than the terminal`(_ columns: Int) throws {
        var progress = self.progress(.bar)
        let text = progress.shown(now: .seconds(102), columns: columns)
        let shown = try #require(text)
        #expect(shown.dropFirst().dropLast(3).count < columns)
    }

    @Test func `a pipe has a line after two seconds, and then every five`() {
        var progress = self.progress(.lines, .counted("messages"))
        progress.advance(by: 1_000)
        #expect(progress.shown(now: .milliseconds(101_999), columns: 80) == nil)
        #expect(
            progress.shown(now: .seconds(102), columns: 80)
                == "roomline: fetching: 50 %, 1000 of 2000 messages, 2s\n"
        )
        #expect(progress.shown(now: .milliseconds(106_999), columns: 80) == nil)
        progress.begin("checking", now: .seconds(106))
        #expect(progress.shown(now: .seconds(107), columns: 80) == "roomline: checking: 1s\n")
        #expect(progress.end() == nil)
    }

    @Test func `without a total there is what was done, and the time`() {
        var progress = self.progress(.bar, .counted("messages"), of: nil)
        #expect(progress.shown(now: .seconds(103), columns: 80) == "\rfetching: 3s\u{1b}[K")
        progress.advance(by: 7)
        #expect(progress.shown(now: .seconds(104), columns: 80) == "\rfetching: 7 messages, 4s\u{1b}[K")
    }

    @Test func `nothing is said where nobody wants it`() {
        var progress = self.progress(.none)
        #expect(progress.shown(now: .seconds(900), columns: 80) == nil && progress.end() == nil)
    }

    @Test func `a bar that makes place for something else comes back`() {
        var progress = self.progress(.bar)
        #expect(progress.hide() == nil)
        _ = progress.shown(now: .seconds(102), columns: 80)
        #expect(progress.hide() == "\r\u{1b}[K" && progress.hide() == nil)
        #expect(progress.shown(now: .milliseconds(102_001), columns: 80) != nil)
    }

    @Test func `more than there was to be is all of it`() {
        var progress = self.progress(.lines)
        progress.advance(by: 9_000)
        #expect(progress.shown(now: .seconds(105), columns: 80)?.contains("100 %") == true)
    }
}
