import Foundation
import GRDB
import Logging
import Synchronization
import Testing

@testable import RoomStore

/// When the reserve on the disk is given up, what that means for new messages, and when it comes back.
@Suite
struct DiskReserveTests {
    private let disk = FakeDisk()
    private let log = LogCollector()
    private static let full = DatabaseError(resultCode: .SQLITE_FULL)

    private func open(now: Int64 = 0) -> DiskReserve {
        DiskReserve(self.disk.reserved, now: now, logger: self.log.logger)
    }

    @Test(arguments: [(1 << 40, 128 << 20), (2 << 30, 128 << 20), (160 << 20, 10 << 20)] as [(Int64, Int64)])
    func `it has what a checkpoint may need, or a sixteenth of a small disk`(size: Int64, bytes: Int64) {
        #expect(DiskReserve.bytes(onDiskOf: size) == bytes)
    }

    @Test
    func `a start fills it, and the next one leaves it`() {
        #expect(!self.open().isGivenUp)
        #expect(self.disk.file == ReservedDisk.File(length: FakeDisk.bytes, allocated: FakeDisk.bytes))
        _ = self.open()
        #expect(self.disk.fills == 1)
        #expect(self.log.lines(.warning).isEmpty)
    }

    @Test
    func `a start without room goes on without it, and has it once there is room`() {
        self.disk.leave(free: 2 * FakeDisk.bytes - 1)
        let reserve = self.open()
        #expect(self.log.lines(.warning).count == 1)
        #expect(reserve.admits(1_000))
        #expect(!reserve.givesUp(after: Self.full) && reserve.admits(2_000))
        self.disk.leave(free: 2 * FakeDisk.bytes)
        #expect(reserve.admits(3_000) && self.disk.file != nil)
    }

    @Test
    func `a full disk has it given up once, and new messages refused`() {
        let reserve = self.open()
        self.disk.leave(free: 0)
        #expect(!reserve.givesUp(after: DatabaseError(resultCode: .SQLITE_IOERR)))
        #expect(!reserve.givesUp(after: PrivateFile.Failure(path: "x", code: EACCES)))
        #expect(!reserve.isGivenUp)
        #expect(reserve.givesUp(after: PrivateFile.Failure(path: "x", code: ENOSPC)))
        #expect(self.disk.file == ReservedDisk.File(length: 0, allocated: 0))
        #expect(!reserve.givesUp(after: Self.full))
        #expect(!reserve.admits(5_000))
        #expect(self.log.lines(.error).count == 1)
    }

    @Test
    func `it is tried once a second, and comes back where twice its size is free`() {
        let reserve = self.open()
        #expect(reserve.givesUp(after: Self.full))
        self.disk.leave(free: 2 * FakeDisk.bytes - 1)
        let looks = self.disk.looks
        #expect(!reserve.admits(1_000))
        for now in Int64(1_001)..<2_000 { #expect(!reserve.admits(now)) }
        #expect(self.disk.looks == looks + 1)
        self.disk.leave(free: 2 * FakeDisk.bytes)
        #expect(!reserve.admits(1_999))
        #expect(reserve.tryAgain(now: 2_000) && !reserve.tryAgain(now: 3_000))
        #expect(reserve.admits(3_000) && self.disk.file?.allocated == FakeDisk.bytes)
        #expect(self.log.lines(.notice).count == 1)
        #expect(reserve.givesUp(after: Self.full), "again")
    }

    @Test
    func `free pages inside the history are for new messages while it is given up`() {
        let reserve = self.open()
        #expect(reserve.givesUp(after: Self.full))
        self.disk.leave(free: 0)
        #expect(!reserve.admitsMessages(now: 0) { 2 * FakeDisk.bytes - 1 } && !reserve.admitsMessages)
        #expect(reserve.admitsMessages(now: 0) { 2 * FakeDisk.bytes } && reserve.admitsMessages && reserve.isGivenUp)
        #expect(reserve.admitsMessages(now: 0) { FakeDisk.bytes })
        #expect(!reserve.admitsMessages(now: 0) { FakeDisk.bytes - 1 })
        #expect(!reserve.admitsMessages(now: 0) { FakeDisk.bytes }, "it does not change with each message")
        #expect(self.log.lines(.notice).count == 1 && self.log.lines(.error).count == 2)
    }

    @Test
    func `checkpoints are made as often as the reserve has room for them`() {
        #expect(DiskReserve.none.pagesBetweenCheckpoints == 8_192)
        let reserve = self.open()
        #expect(reserve.pagesBetweenCheckpoints == 640)
        #expect(reserve.givesUp(after: Self.full) && reserve.pagesBetweenCheckpoints == 256)
    }

    @Test
    func `a restart remembers that it was given up`() {
        #expect(self.open().givesUp(after: Self.full))
        self.disk.leave(free: FakeDisk.bytes)
        let reserve = self.open()
        #expect(reserve.isGivenUp && !reserve.admits(1_000))
        self.disk.leave(free: 2 * FakeDisk.bytes)
        #expect(reserve.admits(2_000))
        #expect(self.open().givesUp(after: Self.full))
        #expect(!self.open().isGivenUp, "there is room at the start")
    }

    @Test
    func `a file that takes no room is none`() {
        self.disk.put(ReservedDisk.File(length: FakeDisk.bytes, allocated: 0))
        self.disk.leave(free: 0)
        #expect(!self.open().givesUp(after: Self.full))
        self.disk.leave(free: 2 * FakeDisk.bytes)
        #expect(self.open().givesUp(after: Self.full))
    }

    @Test
    func `a smaller one is made whole where there is room, and kept where there is none`() {
        self.disk.put(ReservedDisk.File(length: 4_096, allocated: 4_096))
        self.disk.leave(free: 0)
        #expect(!self.open().isGivenUp && self.disk.fills == 0)
        self.disk.leave(free: 2 * FakeDisk.bytes)
        _ = self.open()
        #expect(self.disk.file?.allocated == FakeDisk.bytes)
    }

    @Test
    func `one that cannot be given up is held`() {
        let reserve = self.open()
        self.disk.breakDown()
        #expect(!reserve.givesUp(after: Self.full) && !reserve.isGivenUp)
        #expect(self.log.lines(.error).count == 1)
    }

    @Test
    func `what finds the disk full is done again once`() {
        let reserve = self.open()
        var tries = 0
        #expect(throws: DatabaseError.self) {
            try reserve.makingRoom {
                tries += 1
                throw Self.full
            }
        }
        #expect(tries == 2)
        #expect(throws: DatabaseError.self) {
            try reserve.makingRoom {
                tries += 1
                throw Self.full
            }
        }
        #expect(tries == 3)
    }

    @Test
    func `in memory there is none`() {
        #expect(!DiskReserve.none.givesUp(after: Self.full))
        #expect(DiskReserve.none.admits(.max) && !DiskReserve.none.isGivenUp)
    }
}

extension DiskReserve {
    /// Where the history has no free pages.
    fileprivate func admits(_ now: Int64) -> Bool { self.admitsMessages(now: now) { 0 } }
}

/// A disk of 160 MiB.
final class FakeDisk: Sendable {
    struct Broken: Error {}

    static let bytes: Int64 = 10 << 20
    static let free: Int64 = 100 << 20

    private struct State {
        var file: ReservedDisk.File?
        var free = FakeDisk.free
        var fills = 0
        var looks = 0
        var isBroken = false
    }

    private let state = Mutex(State())

    var file: ReservedDisk.File? { self.state.withLock(\.file) }
    var fills: Int { self.state.withLock(\.fills) }
    var looks: Int { self.state.withLock(\.looks) }

    func leave(free: Int64) { self.state.withLock { $0.free = free } }
    func put(_ file: ReservedDisk.File) { self.state.withLock { $0.file = file } }
    func breakDown() { self.state.withLock { $0.isBroken = true } }

    var reserved: ReservedDisk {
        ReservedDisk(
            file: { self.file },
            fill: { bytes in
                self.state.withLock { state in
                    state.file = ReservedDisk.File(length: bytes, allocated: bytes)
                    state.fills += 1
                }
            },
            empty: {
                try self.state.withLock { state in
                    guard !state.isBroken else { throw Broken() }
                    state.file = ReservedDisk.File(length: 0, allocated: 0)
                }
            },
            space: {
                self.state.withLock { state in
                    state.looks += 1
                    return (state.free, 160 << 20)
                }
            }
        )
    }
}
