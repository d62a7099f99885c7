import Foundation
import Logging
import NIOConcurrencyHelpers

/// The highest Unix millisecond that ids may have been given, kept in a file of 8 bytes: after a restart ids go on
/// above it even where the clock stepped back.
///
/// Written without a sync: it survives `kill -9`. Any thread may call.
package final class ClockFloor: Sendable {
    private struct State {
        /// `nil` in memory.
        var descriptor: Int32?
        var milliseconds: Int64
    }

    /// A time beyond what a UUIDv7 can hold was not written by us.
    static let range: ClosedRange<Int64> = 0...(1 << 48 - 1)

    private let logger: Logger
    private let state: NIOLockedValueBox<State>

    /// The time that was reserved before this start; 0 where none was.
    package let initial: Int64

    /// `path` `nil`: kept in memory only.
    init(path: String?, logger: Logger) throws(PrivateFile.Failure) {
        var descriptor: Int32?
        do {
            if let path { descriptor = try PrivateFile.open(path) }
            self.initial = descriptor.map(Self.read) ?? 0
        } catch {
            // Ids are given all the same; their times are not kept.
            guard error.isReadOnly, let path else { throw error }
            self.initial = StoredFile.clock(path) ?? 0
        }
        self.state = NIOLockedValueBox(State(descriptor: descriptor, milliseconds: self.initial))
        self.logger = logger
    }

    deinit {
        if let descriptor = self.state.withLockedValue({ $0.descriptor }) { close(descriptor) }
    }

    /// Up to when ids may have been given.
    var reserved: Int64 { self.state.withLockedValue(\.milliseconds) }

    /// Notes that ids up to and including this millisecond may be given from now on.
    package func reserve(through milliseconds: Int64) {
        let isStored = self.state.withLockedValue { state in
            guard milliseconds > state.milliseconds else { return true }
            state.milliseconds = milliseconds
            guard let descriptor = state.descriptor else { return true }
            var bytes = milliseconds.littleEndian
            return pwrite(descriptor, &bytes, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size
        }
        guard !isStored else { return }
        self.logger.error("the time of the newest id cannot be stored", metadata: ["error.number": "\(errno)"])
    }

    private static func read(_ descriptor: Int32) -> Int64 {
        var bytes: Int64 = 0
        guard pread(descriptor, &bytes, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size else { return 0 }
        let milliseconds = Int64(littleEndian: bytes)
        return Self.range.contains(milliseconds) ? milliseconds : 0
    }
}
