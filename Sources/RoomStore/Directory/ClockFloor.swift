import Foundation
import Logging
import NIOConcurrencyHelpers
import RoomCore

/// The highest Unix millisecond that ids may have been given, kept in a file (`ClockFile`): after a restart ids go on above it even
/// where the clock stepped back.
///
/// Written without a sync: it survives `kill -9`. A time more than a day ahead of the clock is not followed, since one wrong moment
/// would last for ever: ids go by the clock, and in each room above its newest message. Any thread may call.
package final class ClockFloor: Sendable {
    private struct State {
        /// `nil` in memory.
        var descriptor: Int32?
        var milliseconds: Int64
    }

    private let logger: Logger
    private let state: NIOLockedValueBox<State>

    /// The time that was reserved before this start; 0 where none was, or it is not followed.
    package let initial: Int64

    /// - Parameters:
    ///   - path: `nil`: kept in memory only.
    ///   - now: Unix milliseconds.
    init(path: String?, now: Int64, logger: Logger) throws(PrivateFile.Failure) {
        var descriptor: Int32?
        var contents = ClockFile.Contents.none
        do {
            if let path {
                let file = try PrivateFile.open(path)
                contents = ClockFile.contents(of: Self.read(file))
                descriptor = file
            }
        } catch {
            // Ids are given all the same; their times are not kept.
            guard error.isReadOnly, let path else { throw error }
            contents = StoredFile.clock(path).map { .time($0) } ?? .none
        }
        self.initial = Self.followed(contents, now: now, logger)
        self.state = NIOLockedValueBox(State(descriptor: descriptor, milliseconds: self.initial))
        self.logger = logger
    }

    deinit {
        if let descriptor = self.state.withLockedValue({ $0.descriptor }) { close(descriptor) }
    }

    /// Up to when ids may have been given.
    package var reserved: Int64 { self.state.withLockedValue(\.milliseconds) }

    /// Notes that ids up to and including this millisecond may be given from now on.
    package func reserve(through milliseconds: Int64) {
        let isStored = self.state.withLockedValue { state in
            guard milliseconds > state.milliseconds else { return true }
            state.milliseconds = milliseconds
            guard let descriptor = state.descriptor else { return true }
            let bytes = ClockFile.bytes(milliseconds)
            return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        }
        guard !isStored else { return }
        self.logger.error("the time of the newest id cannot be stored", metadata: ["error.number": "\(errno)"])
    }

    /// The time in the file, where ids go on above it.
    private static func followed(_ contents: ClockFile.Contents, now: Int64, _ logger: Logger) -> Int64 {
        switch contents {
        case .none: return 0
        case .damaged:
            logger.warning(
                "the file clock is damaged: ids go by the clock, and in each room above its newest message",
                metadata: ["code": "clock_damaged"]
            )
            return 0
        case .time(let time):
            guard ClockStep.isFar(from: now, to: time), now >= ClockStep.earliest else { return time }
            logger.warning(
                "ids were given more than a day ahead of the clock: they go by the clock again",
                metadata: ["code": "ids_ahead", "ids": "\(ClockStep.text(time))", "clock": "\(ClockStep.text(now))"]
            )
            return 0
        }
    }

    private static func read(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ClockFile.length + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
