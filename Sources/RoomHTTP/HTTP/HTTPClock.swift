/// The times that the HTTP side goes by.
package struct HTTPClock: Sendable {
    /// Unix seconds.
    package let unixSeconds: @Sendable () -> Int64
    /// Monotonic nanoseconds.
    package let uptime: @Sendable () -> UInt64

    package init(unixSeconds: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> UInt64) {
        self.unixSeconds = unixSeconds
        self.uptime = uptime
    }
}
