import Foundation
import GRDB
import Logging
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What the store makes of a `-wal` that a killed process or a power cut has left, or that somebody has cut.
@Suite(.timeLimit(.minutes(5)))
struct LostCommitsTests {
    private static let header: UInt64 = 32
    private static let frame: UInt64 = 4_096 + 24

    private static func wal(_ frames: UInt32, first: UInt32 = 7, second: UInt32 = 9) -> WriteAheadLog.State {
        .found(.init(salts: .init(first: first, second: second), frames: frames))
    }

    private static func record(committed: UInt32 = 10, synced: UInt32 = 5, isClosed: Bool = false) -> CommitRecord {
        var record = CommitRecord(file: "f")
        record.salts = .init(first: 7, second: 9)
        record.committed = committed
        record.synced = synced
        record.isClosed = isClosed
        return record
    }

    @Test(arguments: [
        (Self.wal(11), LostCommits.none), (Self.wal(10), .none), (Self.wal(9), .unsynced), (Self.wal(5), .unsynced),
        (Self.wal(4), .any), (Self.wal(0), .any), (.empty, .any), (.absent, .any), (.damaged, .any),
        (Self.wal(0, first: 8), .none), (Self.wal(3, first: 9, second: 1), .none), (Self.wal(20, first: 6), .any),
        (Self.wal(20, second: 1), .any), (Self.wal(20, first: 1 << 30), .any),
    ])
    func `what is missing follows from the record`(_ wal: WriteAheadLog.State, _ expected: LostCommits) {
        #expect(LostCommits(of: wal, Self.record(), wasClosed: false) == expected)
        #expect(LostCommits(of: wal, Self.record(), wasClosed: true) == expected)
        #expect(LostCommits(of: wal, Self.record(committed: 0, synced: 0), wasClosed: true) == .none)
        #expect(LostCommits(of: wal, Self.record(isClosed: true), wasClosed: true) == .none)
        #expect(LostCommits(of: wal, Self.record(isClosed: true), wasClosed: false) == .any)
    }

    @Test
    func `a record is read as it was written, or not at all`() {
        let record = Self.record()
        let bytes = record.withBytes { Array($0) }
        #expect(bytes.count == 64)
        #expect(bytes.withUnsafeBytes { CommitRecord($0) } == record)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(damaged.withUnsafeBytes { CommitRecord($0) } == nil)
        }
    }

    @Test(arguments: ["boot 1", "boot 2"])
    func `a commit that a power cut tore is no damage`(_ boot: String) async throws {
        let room = try await StoreUnderTest.make().open(durability: .power)
        for seq in UInt64(1)...20 { try await room.append(seq...seq) }
        let end = try room.test.directory.size("history.sqlite-wal")
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy, without: "-wal")
        try await room.append(21...21, bytes: 30_000)
        try FileManager.default.copyItem(
            atPath: room.test.directory.file("history.sqlite-wal"),
            toPath: copy.file("history.sqlite-wal")
        )
        #expect(try copy.size("history.sqlite-wal") > end + 4 * Self.frame)
        try copy.damage("history.sqlite-wal", at: end + Self.frame + 100)
        let again = try await StoreUnderTest.make(in: copy, bootID: boot).open(durability: .power)
        #expect(again.opened.lastSeq == 20)
        #expect(again.opened.epoch == room.opened.epoch)
        #expect(again.test.log.lines(.critical).isEmpty)
    }

    @Test(arguments: [Durability.process, .power], ["boot 1", "boot 2"])
    func `a wal that was cut anywhere is noticed`(_ durability: Durability, _ boot: String) async throws {
        let room = try await StoreUnderTest.make().open(durability: durability)
        for seq in UInt64(1)...12 { try await room.append(seq...seq, bytes: 700) }
        let epoch = try await room.reopened().opened.epoch
        let end = try room.test.directory.size("history.sqlite-wal")
        for length in [0] + Array(stride(from: Self.header, through: end, by: Int(Self.frame))) + [end - 1] {
            let copy = try TemporaryDirectory()
            try room.test.directory.copyHistory(to: copy)
            truncate(copy.file("history.sqlite-wal"), off_t(length))
            let again = try await StoreUnderTest.make(in: copy, bootID: boot).open(durability: durability)
            let isWhole = length == end
            #expect(again.opened.lastSeq == 12 || !isWhole, "\(length) of \(end)")
            let keeps = isWhole && (boot == "boot 1" || durability == .power)
            #expect((again.opened.epoch == epoch) == keeps, "\(length) of \(end)")
            #expect(again.test.log.lines(.critical).isEmpty == isWhole, "\(length) of \(end)")
            try await again.append(again.opened.lastSeq + 1...again.opened.lastSeq + 1)
        }
    }

    @Test
    func `a wal that was cut after an orderly restart is noticed`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...3)
        await room.test.store.close()
        let second = try await StoreUnderTest.make(in: room.test.directory).open()
        #expect(second.opened.epoch == room.opened.epoch)
        try await second.append(4...6)
        let copy = try TemporaryDirectory()
        try second.test.directory.copyHistory(to: copy)
        truncate(copy.file("history.sqlite-wal"), 0)
        let again = try await StoreUnderTest.make(in: copy).open()
        #expect(again.opened.lastSeq == 3)
        #expect(again.opened.epoch != room.opened.epoch)
    }

    @Test
    func `what a start found is synced by it, and noticed where it is cut after it`() async throws {
        let room = try await StoreUnderTest.make().open()
        for seq in UInt64(1)...5 { try await room.append(seq...seq) }
        let killed = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: killed)
        _ = try await StoreUnderTest.make(in: killed).open()
        let record = try #require(CommitRecordFile.record(beside: killed.file("history.sqlite")))
        try #require(record.synced == record.committed && record.committed > 2)
        #expect(try killed.size("history.sqlite-wal") == Self.header + UInt64(record.committed) * Self.frame)
        let cut = try TemporaryDirectory()
        try killed.copyHistory(to: cut)
        truncate(cut.file("history.sqlite-wal"), off_t(Self.header + UInt64(record.committed - 2) * Self.frame))
        let again = try await StoreUnderTest.make(in: cut).open()
        #expect(again.opened.epoch != room.opened.epoch)
    }

    @Test
    func `a try to write writes`() async throws {
        let test = try await StoreUnderTest.make().open().test
        let before = try test.directory.size("history.sqlite-wal")
        try await test.write { try HistorySession.tryToWrite($0) }
        #expect(try test.directory.size("history.sqlite-wal") == before + Self.frame)
    }

    @Test
    func `the record follows the wal into its next rounds`() async throws {
        let room = try await StoreUnderTest.make().open()
        var last: UInt64 = 0
        for _ in 1...3 {
            for _ in 1...5 {
                try await room.append(last + 1...last + 1)
                last += 1
            }
            try await room.test.write { _ in }
            try await room.test.checkpoint()
            try await room.append(last + 1...last + 1)
            last += 1
            let copy = try TemporaryDirectory()
            try room.test.directory.copyHistory(to: copy)
            let again = try await StoreUnderTest.make(in: copy).open()
            #expect(again.opened.epoch == room.opened.epoch && again.opened.lastSeq == last)
        }
    }

    @Test
    func `the first message after durability power is synced`() async throws {
        let test = try StoreUnderTest.make()
        let synced = try await test.open(durability: .power)
        try await synced.append(1...3)
        let unsynced = try await test.open()
        try await unsynced.append(4...4)
        let path = test.directory.file("history.sqlite")
        let first = try #require(CommitRecordFile.record(beside: path))
        #expect(first.synced == first.committed)
        try await unsynced.append(5...5)
        let second = try #require(CommitRecordFile.record(beside: path))
        #expect(second.synced == first.synced && second.committed > first.committed)
    }

    @Test(arguments: [
        (Self.wal(9), LostCommits.none), (.empty, .none), (.absent, .any), (.damaged, .any),
    ])
    func `without a record the end of the session before decides`(_ wal: WriteAheadLog.State, _ before: LostCommits) {
        let isClosed = wal == .absent ? LostCommits.none : before
        #expect(LostCommits(of: wal, .absent, wasClosed: true, hadRecord: true) == isClosed)
        #expect(LostCommits(of: wal, .absent, wasClosed: false, hadRecord: true) == .any)
        // by an earlier version, which had none
        #expect(LostCommits(of: wal, .absent, wasClosed: false, hadRecord: false) == before)
        for wasClosed in [false, true] {
            #expect(LostCommits(of: wal, .damaged, wasClosed: wasClosed, hadRecord: true) == .any)
        }
    }

    enum Fault: CaseIterable, Sendable {
        case none
        case absent
        case another
        case flipped
        case short
        /// What a power cut leaves of a file that was made just before.
        case zeros
    }

    /// - Parameter other: a directory whose record is that of another history.
    private static func apply(_ fault: Fault, in copy: TemporaryDirectory, other: TemporaryDirectory) throws {
        let path = copy.file("history.sqlite-commits")
        switch fault {
        case .none: break
        case .absent: try FileManager.default.removeItem(atPath: path)
        case .another:
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: other.file("history.sqlite-commits"), toPath: path)
        case .flipped: try copy.damage("history.sqlite-commits", at: 26)
        case .short: truncate(path, 40)
        case .zeros: try Data(count: 64).write(to: URL(filePath: path))
        }
    }

    @Test(arguments: Fault.allCases, [nil, 0, 3] as [Int?])
    func `no seq is given out twice in an epoch where the record is lost too`(_ fault: Fault, _ cut: Int?) async throws
    {
        let other = try await StoreUnderTest.make().open()
        try await other.append(1...30)
        let room = try await StoreUnderTest.make().open(durability: .power)
        for seq in UInt64(1)...5 { try await room.append(seq...seq) }
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        if let cut {
            truncate(copy.file("history.sqlite-wal"), off_t(cut == 0 ? 0 : Self.header + UInt64(cut) * Self.frame))
        }
        try Self.apply(fault, in: copy, other: other.test.directory)
        let test = try StoreUnderTest.make(in: copy)
        let again = try await test.open(durability: .power)
        let isWhole = fault == .none && cut == nil
        #expect((again.opened.epoch == room.opened.epoch) == isWhole)
        #expect(test.store.mayHaveLost == !isWhole)
        #expect(test.log.lines(.critical).count == (isWhole ? 0 : 1))
        // the next start finds what this one has made of it
        let next = try TemporaryDirectory()
        try copy.copyHistory(to: next)
        let later = try await StoreUnderTest.make(in: next).open(durability: .power)
        #expect(later.opened.epoch == again.opened.epoch)
        #expect(!later.test.store.mayHaveLost)
    }

    @Test(arguments: [false, true])
    func `a copy of the database alone that was made while it was in use has other epochs`(
        hadSession: Bool
    ) async throws {
        var test = try StoreUnderTest.make()
        if hadSession {
            try await test.open(durability: .power).append(1...3)
            await test.store.close()
            test = try StoreUnderTest.make(in: test.directory)
        }
        let room = try await test.open(durability: .power)
        try await room.append(room.opened.lastSeq + 1...room.opened.lastSeq + 100)
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: test.directory.file("history.sqlite"),
            toPath: copy.file("history.sqlite")
        )
        #expect(try StoredFile.history(copy.file("history.sqlite"), isAtRest: true).mayHaveLost)
        let again = try await StoreUnderTest.make(in: copy).open(durability: .power)
        #expect(again.opened.lastSeq == room.opened.lastSeq)
        #expect(again.opened.epoch != room.opened.epoch)
        #expect(again.test.log.lines(.critical).map(\.text).first?.contains("is missing") == true)
    }

    @Test(arguments: [Fault.none, .absent, .another, .zeros])
    func `a history that was closed in order keeps its epochs`(_ fault: Fault) async throws {
        let other = try await StoreUnderTest.make().open()
        try await other.append(1...3)
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...3)
        await room.test.store.close()
        try Self.apply(fault, in: room.test.directory, other: other.test.directory)
        try? FileManager.default.removeItem(atPath: room.test.directory.file("history.sqlite-wal"))
        #expect(try !StoredFile.history(room.test.directory.file("history.sqlite"), isAtRest: true).mayHaveLost)
        let again = try await StoreUnderTest.make(in: room.test.directory, bootID: "boot 2").open()
        #expect(again.opened.epoch == room.opened.epoch && again.opened.lastSeq == 3)
        #expect(!again.test.store.mayHaveLost)
    }

    @Test
    func `a start that dies right after it has begun costs no epoch`() async throws {
        let first = try StoreUnderTest.make()
        let room = try await first.open()
        try await room.append(1...3)
        await first.store.close()
        for directory in [first.directory, try TemporaryDirectory()] {
            let test = try StoreUnderTest.make(in: directory)
            let copy = try TemporaryDirectory()
            try test.directory.copyHistory(to: copy)
            let again = try StoreUnderTest.make(in: copy)
            #expect(!again.store.mayHaveLost)
            #expect(again.log.lines(.critical).isEmpty)
        }
    }

    @Test
    func `what was found missing is found again where the start was cut short`() async throws {
        let room = try await StoreUnderTest.make().open()
        for seq in UInt64(1)...5 { try await room.append(seq...seq) }
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        truncate(copy.file("history.sqlite-wal"), off_t(Self.header + 3 * Self.frame))
        let record = CommitRecordFile.read(beside: copy.file("history.sqlite"))
        let database = try DatabaseQueue(path: copy.file("history.sqlite"))
        let wal = try WriteAheadLog.state(copy.file("history.sqlite-wal"))
        let session = try await database.read { try HistorySession(ended: $0, copy.file("history.sqlite"), wal) }
        #expect(session.lost != .none && !session.replacesRecord)
        #expect(CommitRecordFile.read(beside: copy.file("history.sqlite")) == record)
    }
}

extension CommitRecordFile {
    fileprivate static func record(beside path: String) -> CommitRecord? {
        if case .record(let record) = self.read(beside: path) { record } else { nil }
    }
}
