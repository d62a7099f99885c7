import Foundation

/// How wide the terminal is that standard output goes to.
enum TerminalSize {
    /// 80 where it does not tell.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
