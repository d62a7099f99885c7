import Testing

@testable import roomline

@Suite struct PaletteTests {
    @Test(
        arguments: [
            (["TERM": "xterm-256color"], .ansi256),
            (["TERM": "xterm"], .ansi16),
            (["TERM": "linux"], .ansi16),
            (["TERM": "xterm", "COLORTERM": "truecolor"], .trueColor),
            (["TERM": "tmux-256color", "COLORTERM": "24bit"], .trueColor),
            (["TERM": "xterm-direct"], .trueColor),
            (["TERM": "xterm-256color", "NO_COLOR": "1", "COLORTERM": "truecolor"], .monochrome),
            (["TERM": "xterm-256color", "NO_COLOR": ""], .ansi256),
            (["TERM": "vt100"], .monochrome),
            (["TERM": "dumb", "COLORTERM": "truecolor"], .plain),
            ([:], .plain),
        ] as [([String: String], Palette)]
    )
    func `a terminal is taken at its word`(environment: [String: String], palette: Palette) {
        #expect(Palette(isTerminal: true, environment: environment) == palette)
        #expect(Palette(isTerminal: false, environment: environment) == .plain)
    }
}
