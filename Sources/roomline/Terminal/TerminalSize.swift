import Foundation

/// How large the terminal is that standard output goes to.
enum TerminalSize {
    static var columns: Int { self.current.columns }

    /// 80 × 24 where it does not tell.
    static var current: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
