import Foundation
import RoomStore
import Testing

@testable import RoomServer

@Suite struct TLSWatchTests {
    private let old: TLSStamp
    private let half: TLSStamp
    private let new: TLSStamp

    init() throws {
        let files = try ["a", "bb", "ccc"].map { try TemporaryFile($0) }
        let stamps = try files.map { file in try #require(FileStamp(file.path)) }
        self.old = TLSStamp(certificate: stamps[0], key: stamps[0])
        self.half = TLSStamp(certificate: stamps[1], key: stamps[0])
        self.new = TLSStamp(certificate: stamps[1], key: stamps[2])
    }

    /// After which of these looks the files are loaded.
    private func looks(_ stamps: [TLSStamp]) -> [Bool] {
        var watch = TLSWatch(self.old)
        return stamps.map { watch.looked($0) }
    }

    @Test func `files that stay as they are are not loaded again`() {
        #expect(self.looks([self.old, self.old]) == [false, false])
    }

    @Test func `a renewal is loaded once, when both files are there`() {
        #expect(self.looks([self.half, self.new, self.new, self.new]) == [false, false, true, false])
    }

    @Test func `files that come back as they were are not loaded`() {
        #expect(self.looks([self.half, self.old, self.old]) == [false, false, false])
    }

    @Test func `a file that has gone is told once`() {
        let gone = TLSStamp(certificate: nil, key: nil)
        #expect(self.looks([gone, gone, gone]) == [false, true, false])
    }

    @Test func `a stamp differs when the file is replaced by one of the same size`() throws {
        let file = try TemporaryFile("one")
        let before = FileStamp(file.path)
        #expect(FileStamp(file.path) == before)
        try Data("two".utf8).write(to: URL(filePath: file.path), options: .atomic)
        #expect(FileStamp(file.path) != before)
        #expect(FileStamp(file.path + ".missing") == nil)
    }
}
