/// Publish keys and slow mode, which a room forgets in time, and when nobody is in it.
extension Room {
    /// Forgets publish keys that have lived long enough.
    ///
    /// - Parameter second: `RoomTurn.steadySecond`.
    mutating func forgetKeys(at second: UInt32) {
        self.forgetKeys(before: second - min(second, PublishKeys.lifetimeSeconds))
    }

    /// Forgets the publish keys from before this time.
    package mutating func forgetKeys(before second: UInt32) {
        self.keys.forget(before: second)
    }

    /// Forgets all publish keys from before this time, however many they are.
    package mutating func forgetAllKeys(before second: UInt32) {
        while true {
            let count = self.keys.count
            self.keys.forget(before: second)
            if count - self.keys.count < PublishKeys.forgottenAtOnce { return }
        }
    }

    /// Keeps the place in the log that the next message goes on behind, the settings and the rules.
    package mutating func forgetAllButHistory() {
        self.keys.removeAll()
        self.slowMode = SlowMode()
    }
}
