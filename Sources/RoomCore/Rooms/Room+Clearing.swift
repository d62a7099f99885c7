import DequeModule
package import RoomModel

/// Rooms whose messages are taken back all at once.
extension Room {
    /// Under way, or done and not told yet.
    package var isClearing: Bool { self.clearing != nil }

    var isClearNext: Bool {
        if case .command(.clear) = self.waiting.first { true } else { false }
    }

    /// Takes a clear whose turn it is.
    mutating func beginsClearing() -> Bool {
        switch self.phase {
        case .opening, .committing, .clearing: return false
        case .closed, .ready, .degraded: break
        }
        guard case .command(.clear(let command)) = self.waiting.first else { return false }
        self.waiting.removeFirst()
        self.clearing = command
        self.phase = .clearing
        return true
    }

    /// The store has no messages of the room any more.
    ///
    /// - Parameter epoch: that of the room if it has no history.
    /// - Returns: whether its new log has to be opened.
    package mutating func cleared(epoch: Epoch) -> Bool {
        guard self.phase == .clearing else { return false }
        self.clearedEpochs.append(self.epoch)
        if self.clearedEpochs.count > Self.clearedEpochLimit { self.clearedEpochs.removeFirst() }
        self.log = nil
        guard !self.hasHistory else {
            self.phase = .opening
            return true
        }
        self.phase = .ready
        self.beganAnew()
        self.epoch = epoch
        return false
    }

    static let clearedEpochLimit = 8

    /// The log is another one and empty.
    mutating func beganAnew() {
        guard let command = self.clearing else { return }
        self.clearing = nil
        self.lastSeq = 0
        self.oldestStored = 1
        self.redactions = RedactionIndex()
        self.keys.logEnded()
        self.waiting.prepend(.followUp(.tellCleared(command)))
    }

    /// Whether the messages are gone is not known.
    mutating func clearFailed() {
        guard self.phase == .clearing else { return }
        self.phase = .ready
        self.logLost()
        self.refuseClearing()
    }

    /// Answers who has asked for a clear that did not come to its end.
    mutating func refuseClearing() {
        guard let command = self.clearing else { return }
        self.clearing = nil
        let error = RequestError(
            .storageUnavailable,
            "it is unknown whether the room was cleared; clear it again to be sure",
            room: self.key.room,
            retryAfterMilliseconds: 1_000
        )
        self.waiting.prepend(.followUp(.answer(.refused(command.origin, error))))
    }
}
