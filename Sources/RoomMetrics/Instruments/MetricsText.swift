package import NIOCore

/// The text of `/metrics`, made at most once a second, however many ask for it, and not on an event loop.
package actor MetricsText {
    private let lifetime: UInt64
    private let now: @Sendable () -> UInt64
    private let make: @Sendable () async -> String
    private var newest: (text: ByteBuffer, time: UInt64)?
    private var isMaking = false
    /// Those who came while it was being made.
    private var waiting: [CheckedContinuation<ByteBuffer, Never>] = []

    /// - Parameters:
    ///   - lifetime: how long a text is given out, in nanoseconds.
    ///   - now: a monotonic time in nanoseconds.
    package init(
        lifetime: UInt64 = 1_000_000_000,
        now: @escaping @Sendable () -> UInt64,
        make: @escaping @Sendable () async -> String
    ) {
        self.lifetime = lifetime
        self.now = now
        self.make = make
    }

    /// The figures as they were at most a second ago; the same bytes for all who ask within that time.
    package func text() async -> ByteBuffer {
        let now = self.now()
        if let newest, now - min(now, newest.time) < self.lifetime { return newest.text }
        if self.isMaking { return await withCheckedContinuation { self.waiting.append($0) } }
        self.isMaking = true
        let text = ByteBuffer(string: await self.make())
        self.newest = (text, now)
        self.isMaking = false
        for continuation in self.waiting { continuation.resume(returning: text) }
        self.waiting = []
        return text
    }
}
