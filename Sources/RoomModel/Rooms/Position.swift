/// Names one life of a room's log, so that a `seq` of an earlier life is never taken for one of this life.
///
/// Without it a client that saw message 7, came back after the log was cleared and found a message 9 would believe that
/// it missed one message, while all that it knew is gone. On the wire: 16 hexadecimal digits in a string.
package struct Epoch: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads the 16 hexadecimal digits of the wire form.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.allSatisfy(\.isHexDigit), let value = UInt64(text, radix: 16) else {
            return nil
        }
        self.rawValue = value
    }

    package var description: String {
        let digits = String(self.rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// A place in a room's log: after message `seq` of `epoch` (`seq` 0: before the first message).
package struct Position: Hashable, Sendable {
    /// `nil` where a client named an epoch that is none of ours: it matches no log.
    package let epoch: Epoch?
    package let seq: UInt64

    package init(epoch: Epoch?, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }
}
