import Dispatch
import Foundation

/// Measures how fast a disk keeps what is written, with a file of its own that is gone afterwards.
package struct DiskProbe {
    package struct Figures: Equatable, Sendable {
        package var syncs: Int
        /// Milliseconds.
        package var medianSync: Double
        package var slowestSync: Double
        /// `nil` where it was not measured.
        package var bytesPerSecond: Double?
    }

    private static let pageLength = 4_096
    private static let bulkLength = 32 << 20

    private let directory: String
    private let isGentle: Bool

    /// - Parameter isGentle: somebody is at work there, who must not notice: only a few small writes.
    package init(_ directory: String, isGentle: Bool) {
        self.directory = directory
        self.isGentle = isGentle
    }

    package func run() throws -> Figures {
        let path = "\(self.directory)/doctor-\(getpid()).tmp"
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.Failure(path: path, code: errno) }
        defer {
            Foundation.close(descriptor)
            unlink(path)
        }
        let page = [UInt8](repeating: 0x5a, count: Self.pageLength)
        var times: [Double] = []
        for index in 0..<(self.isGentle ? 20 : 50) {
            times.append(
                try Self.milliseconds {
                    guard pwrite(descriptor, page, page.count, off_t(index * page.count)) == page.count,
                        Self.syncData(descriptor)
                    else { throw PrivateFile.Failure(path: path, code: errno) }
                }
            )
        }
        times.sort()
        return Figures(
            syncs: times.count,
            medianSync: times[times.count / 2],
            slowestSync: times[times.count - 1],
            bytesPerSecond: self.isGentle ? nil : try self.bulk(descriptor, path)
        )
    }

    private func bulk(_ descriptor: Int32, _ path: String) throws -> Double {
        let piece = [UInt8](repeating: 0xa5, count: 1 << 20)
        let time = try Self.milliseconds {
            for offset in stride(from: 0, to: Self.bulkLength, by: piece.count) {
                guard pwrite(descriptor, piece, piece.count, off_t(offset)) == piece.count else {
                    throw PrivateFile.Failure(path: path, code: errno)
                }
            }
            guard Self.syncData(descriptor) else { throw PrivateFile.Failure(path: path, code: errno) }
        }
        return Double(Self.bulkLength) / max(time, 0.001) * 1_000
    }

    /// Syncs as SQLite does.
    private static func syncData(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        fsync(descriptor) == 0
        #else
        fdatasync(descriptor) == 0
        #endif
    }

    private static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        try work()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    }
}
