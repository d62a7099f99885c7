/// A record that a node has had, by which it knows the log again: one that was stored in its place since has another time.
package struct KnownRecord: Equatable, Sendable {
    package let place: LogOffset
    /// When the log took it, in Unix milliseconds; `nil`: nobody has noted that.
    package let time: Int64?

    package init(place: LogOffset, time: Int64?) {
        self.place = place
        self.time = time
    }
}
