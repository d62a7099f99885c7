import Foundation

/// The terminal as a line editor needs it: every key at once, no echo, no signals from keys. It is one state of the whole
/// process, and is left again however the process ends, as far as that is in its hands.
enum RawMode {
    /// Bracketed paste on: the terminal says what was pasted and not typed.
    private static let beginning: StaticString = "\u{1b}[?2004h"
    private static let ending: StaticString = "\u{1b}[?2004l\u{1b}[0m"
    /// The alternate screen, where rows that are too wide are cut off.
    private static let fullBeginning: StaticString = "\u{1b}[?1049h\u{1b}[?7l\u{1b}[?2004h"
    private static let fullEnding: StaticString = "\u{1b}[0m\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    // A signal handler looks at these; they are made before there is one, and never go away.
    nonisolated(unsafe) private static let original = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    nonisolated(unsafe) private static let isOn = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    nonisolated(unsafe) private static let isFullScreen = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    nonisolated(unsafe) private static let earlierActions = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)

    /// Prepares the way back, once, and enters.
    ///
    /// - Parameter fullScreen: whether the command has the whole screen, and the shell gets its own back.
    /// - Returns: whether standard input is a terminal that can do that.
    static func start(fullScreen: Bool = false) -> Bool {
        self.isOn.initialize(to: 0)
        self.isFullScreen.initialize(to: fullScreen ? 1 : 0)
        self.original.initialize(to: termios())
        guard tcgetattr(STDIN_FILENO, self.original) == 0 else { return false }
        atexit { RawMode.leave() }
        self.guardAgainstCrashes()
        return self.enter()
    }

    /// Enters, at first or again.
    @discardableResult
    static func enter() -> Bool {
        var raw = self.original.pointee
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
        raw.c_cflag |= tcflag_t(CS8)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { return false }
        self.isOn.pointee = 1
        self.write(self.isFullScreen.pointee != 0 ? self.fullBeginning : self.beginning)
        return true
    }

    /// Only calls what a signal handler may call.
    static func leave() {
        guard self.isOn.pointee != 0 else { return }
        self.isOn.pointee = 0
        self.write(self.isFullScreen.pointee != 0 ? self.fullEnding : self.ending)
        _ = tcsetattr(STDIN_FILENO, TCSADRAIN, self.original)
    }

    private static func write(_ text: StaticString) {
        // Best effort: where even this cannot be written, there is no terminal to care for.
        _ = Foundation.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// A crash must not leave its user in front of a terminal that does not echo.
    private static func guardAgainstCrashes() {
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            var action = sigaction()
            let handler: @convention(c) (Int32) -> Void = { number in
                RawMode.leave()
                // The action that would have followed without us: it happens when this returns.
                sigaction(number, RawMode.earlierActions + Int(number), nil)
                raise(number)
            }
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
            #elseif canImport(Musl)
            action.__sa_handler.sa_handler = handler
            #else
            action.__sigaction_handler.sa_handler = handler
            #endif
            let earlier = self.earlierActions + Int(number)
            earlier.initialize(to: sigaction())
            sigaction(number, &action, earlier)
        }
    }
}
