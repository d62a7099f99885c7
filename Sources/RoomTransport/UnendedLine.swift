import NIOCore

/// Tells when what a plain-text client has sent without a newline is a line (protocol, "Plain text"). Pure.
///
/// The programs of the old tutorials send a whole command at once and never a newline. A person in character mode sends each
/// letter as it is typed, and a newline at the end. So a pause ends a line until there is a sign of a person.
struct UnendedLine: Equatable {
    private var habit = Habit.unknown
    /// When the last bytes came of the line that has begun; `nil`: none has.
    private var lastBytes: NIODeadline?

    private enum Habit {
        /// Can transition to: all others.
        case unknown
        /// A pause has ended a line. Can transition to: `commands`, `newlines`.
        case pauses
        /// A command has followed another one, and no newline between them. Can transition to: `newlines`.
        case commands
        /// Only newlines end a line: it has sent one, or a person types.
        case newlines
    }

    /// The bytes of one write come within this time.
    private static let pauseWithinWrite = TimeAmount.milliseconds(20)
    /// A letter that a person types follows the one before within this time.
    private static let pauseWithinTyping = TimeAmount.milliseconds(200)

    /// Bytes have come.
    ///
    /// - Parameter isInsideCharacter: those before end in the middle of a character.
    /// - Returns: whether the line that had begun ends before them.
    mutating func received(_ bytes: ByteBuffer, at now: NIODeadline, isInsideCharacter: Bool = false) -> Bool {
        guard self.habit != .newlines, bytes.readableBytes > 0 else { return false }
        let isCommand = !isInsideCharacter && bytes.beginsCommand
        var endsLine = false
        if let lastBytes {
            if isCommand {
                endsLine = true
                self.habit = .commands
            } else if self.habit != .commands, !isInsideCharacter, now - lastBytes > Self.pauseWithinWrite {
                self.habit = .newlines
            }
        } else if isCommand, self.habit == .pauses {
            self.habit = .commands
        } else if self.habit != .commands, bytes.isOneCharacter {
            self.habit = .newlines
        }
        if bytes.readableBytesView.contains(UInt8(ascii: "\n")) { self.habit = .newlines }
        self.lastBytes = now
        return endsLine
    }

    /// When the line that has begun ends if nothing comes; `nil`: a newline has to end it, or there is none.
    var deadline: NIODeadline? {
        guard let lastBytes else { return nil }
        switch self.habit {
        case .unknown, .pauses: return lastBytes + Self.pauseWithinTyping
        case .commands: return lastBytes + Self.pauseWithinWrite
        case .newlines: return nil
        }
    }

    /// The deadline has passed: the line ends.
    mutating func paused() {
        self.lastBytes = nil
        if self.habit == .unknown { self.habit = .pauses }
    }
}

extension ByteBuffer {
    fileprivate var beginsCommand: Bool {
        self.readableBytesView.starts(with: "iam:".utf8) || self.readableBytesView.starts(with: "msg:".utf8)
    }

    /// Whether it is a byte, or a character of more.
    fileprivate var isOneCharacter: Bool {
        let view = self.readableBytesView
        guard view.count > 1 else { return true }
        return view.count <= 4 && view.first.map { $0 >= 0xc0 } ?? false
            && view.dropFirst().allSatisfy { 0x80..<0xc0 ~= $0 }
    }
}
