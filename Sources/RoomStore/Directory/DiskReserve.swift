import Logging
import NIOConcurrencyHelpers

/// Room on the disk that is kept for the operator. On a full disk SQLite can write nothing, so that not even a prune could make room: the
/// file `reserve` takes some before that, and is emptied when a write finds the disk full. From then on new messages are stored only in
/// the room that a prune has made inside the history, until the file could be filled again: publishers do not take what was given up for
/// the operator (docs/decisions/0048).
///
/// An empty file says over a restart that it was given up. Any thread may call.
package final class DiskReserve: Sendable {
    static let fileName = "reserve"

    /// Where there is none: in memory, and on a read-only disk.
    static let none = DiskReserve()

    /// 128 MiB: up to 64 MiB of pages may be in the `-wal` alone (`CheckpointTurns`), for which the database file has to become longer, and
    /// the other half is for new work. On a small disk, where it is less, `pagesBetweenCheckpoints` is as well.
    private static let most = Int64(4 * CheckpointTurns.pagesBetween * CheckpointTurns.pageBytes)
    private static let mostOfDisk: Int64 = 16
    private static let retryMilliseconds: Int64 = 1_000

    private enum Phase {
        /// There has not been room for it yet.
        /// Can transition to: `held`.
        case missing
        /// Can transition to: `givenUp`, when the disk is full.
        case held
        /// Can transition to: `held`, when there is room again.
        case givenUp
    }

    private struct State {
        var phase = Phase.missing
        /// While it is given up: there are free pages inside the history.
        var hasRoomInside = false
        /// Unix milliseconds.
        var lastTry: Int64 = 0

        var admitsMessages: Bool { self.phase != .givenUp || self.hasRoomInside }
    }

    private let disk: ReservedDisk?
    private let logger: Logger?
    /// Of the whole reserve; `nil` where the system does not tell how large the disk is.
    private let bytes: Int64?
    private let state = NIOLockedValueBox(State())

    private init() {
        self.disk = nil
        self.logger = nil
        self.bytes = nil
    }

    /// Fills the file, or goes on without it.
    ///
    /// - Parameter now: Unix milliseconds.
    init(_ disk: ReservedDisk, now: Int64, logger: Logger) {
        self.disk = disk
        self.logger = logger
        self.bytes = (try? disk.space()).map { Self.bytes(onDiskOf: $0.size) }
        let phase = Self.phase(disk.file())
        self.state.withLockedValue { $0 = State(phase: phase, lastTry: now) }
        guard !self.fill(disk) else {
            self.state.withLockedValue { $0.phase = .held }
            return
        }
        switch phase {
        case .held: break
        case .missing:
            logger.warning(
                "there is no room on the disk for the reserve: on a full disk, nothing can be deleted"
            )
        case .givenUp:
            logger.error(
                "the reserve on the disk is still given up: new messages are refused until there is room"
            )
        }
    }

    private static func phase(_ file: ReservedDisk.File?) -> Phase {
        guard let file else { return .missing }
        if file.length == 0 { return .givenUp }
        // a copy with holes takes no room
        return file.allocated > 0 ? .held : .missing
    }

    /// The bytes of a whole reserve.
    package static func bytes(onDiskOf size: Int64) -> Int64 { min(self.most, size / self.mostOfDisk) }

    var isGivenUp: Bool { self.state.withLockedValue { $0.phase == .givenUp } }

    /// Whether new messages may be stored, as far as is known.
    var admitsMessages: Bool { self.state.withLockedValue(\.admitsMessages) }

    /// After so many pages, a checkpoint is due: it has to have room in the reserve.
    var pagesBetweenCheckpoints: UInt32 {
        if self.isGivenUp { return CheckpointTurns.mostToFinish }
        guard let bytes else { return CheckpointTurns.pagesBetween }
        return max(CheckpointTurns.mostToFinish, UInt32(clamping: bytes / 4) / CheckpointTurns.pageBytes)
    }

    /// To be asked before new messages are stored; looks once a second whether there is room again.
    ///
    /// - Parameter freeInside: the bytes of the pages in the history that nothing uses: messages that take these do not make it longer.
    func admitsMessages(now: Int64, freeInside: () throws -> Int64) rethrows -> Bool {
        self.tryAgain(now: now)
        guard self.isGivenUp, let bytes else { return true }
        let free = try freeInside()
        let (before, isAdmitted) = self.state.withLockedValue { state in
            let before = state.hasRoomInside
            state.hasRoomInside = free >= (before ? bytes : 2 * bytes)
            return (before, state.admitsMessages)
        }
        if isAdmitted != before { self.tellRoomInside(isAdmitted) }
        return isAdmitted
    }

    private func tellRoomInside(_ isThere: Bool) {
        if isThere {
            self.logger?.notice(
                "the disk is full, but the history has free pages again: new messages are stored in them"
            )
        } else {
            self.logger?.error("the disk is full, and the history has few free pages left: new messages are refused")
        }
    }

    /// Fills the file where it is not, at most once a second.
    ///
    /// - Returns: true where that has brought it back.
    @discardableResult
    func tryAgain(now: Int64) -> Bool {
        guard let disk else { return false }
        let isDue = self.state.withLockedValue { state in
            // the clock may have been set back
            guard state.phase != .held, abs(now - state.lastTry) >= Self.retryMilliseconds else { return false }
            state.lastTry = now
            return true
        }
        guard isDue, self.fill(disk) else { return false }
        let before = self.state.withLockedValue { state in
            defer { state.phase = .held }
            return state.phase
        }
        guard before == .givenUp else { return false }
        self.logger?.notice("the reserve on the disk is there again: new messages are stored")
        return true
    }

    /// Gives the reserve up if a write has failed because the disk is full.
    ///
    /// - Returns: whether there is room now that there was not: the write can be tried again.
    func givesUp(after error: any Error) -> Bool {
        guard let disk, StorageFailure.isDiskFull(error) else { return false }
        let wasHeld = self.state.withLockedValue { state in
            guard state.phase == .held else { return false }
            state.phase = .givenUp
            state.hasRoomInside = false
            return true
        }
        guard wasHeld else { return false }
        do {
            try disk.empty()
        } catch {
            self.state.withLockedValue { $0.phase = .held }
            self.logger?.error("the reserve on the full disk cannot be given up", metadata: ["error": "\(error)"])
            return false
        }
        self.logger?.error(
            "the disk is full: the reserve is given up, and new messages are refused until there is room"
        )
        return true
    }

    /// Does the work a second time where the first one finds the disk full and there is a reserve to give up.
    func makingRoom<Value>(for work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            guard self.givesUp(after: error) else { throw error }
            return try work()
        }
    }

    /// With twice its size free: else the disk would be full again at once. Why it fails is not told: it is tried each second.
    private func fill(_ disk: ReservedDisk) -> Bool {
        guard let space = try? disk.space() else { return false }
        let bytes = Self.bytes(onDiskOf: space.size)
        let allocated = disk.file()?.allocated ?? 0
        if allocated >= bytes { return true }
        guard space.free + allocated >= 2 * bytes else { return false }
        return (try? disk.fill(bytes)) != nil
    }
}
