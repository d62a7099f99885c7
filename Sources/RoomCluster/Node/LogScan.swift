import NIOCore
import RoomCore

/// Finds the records of a time in which texts are to be replaced.
struct LogScan: Sendable {
    /// In Unix milliseconds.
    let time: ClosedRange<Int64>
    /// The last record that may have the text.
    let end: LogOffset
    let eraser: any RecordEraser

    struct Found: Sendable {
        var records: [Record] = []
        /// Records have the text, or have had it, even if all of them keep it.
        var isSomewhere = false
        /// Where it goes on: it has ended before, so that what it has found needs little memory.
        var next: LogOffset?
    }

    /// The bytes of the records of which it finds no more at once.
    private static let enough = 4 << 20

    struct Record: Sendable {
        let place: LogOffset
        /// When the log took it, in Unix milliseconds.
        let time: Int64
        let bytes: ByteBuffer
        /// The record without the text.
        let erased: ByteBuffer
    }

    private enum Step: Sendable {
        case record(Record)
        case stays
    }

    enum Failure: Error {
        /// The log has lost what was looked through, or ends before it.
        case lost
    }

    /// - Parameter log: nobody has followed it yet. It is closed at the end.
    func run(_ log: any PartitionLog, from first: LogOffset) async throws -> Found {
        let (steps, continuation) = AsyncThrowingStream.makeStream(of: Step.self)
        log.follow(from: first) { self.take($0, continuation) }
        defer { log.close() }
        var (found, bytes) = (Found(), 0)
        for try await step in steps {
            found.isSomewhere = true
            guard case .record(let record) = step else { continue }
            found.records.append(record)
            bytes += record.bytes.readableBytes
            guard bytes < Self.enough else {
                if record.place < self.end { found.next = record.place.next }
                break
            }
        }
        try Task.checkCancellation()
        return found
    }

    private func step(_ bytes: ByteBuffer, at place: LogOffset, _ time: Int64) throws(RecordError) -> Step? {
        switch try self.eraser.outcome(of: bytes, at: place) {
        case .erased(let erased): .record(Record(place: place, time: time, bytes: bytes, erased: erased))
        case .stays: .stays
        case .absent: nil
        }
    }

    private func take(_ event: PartitionLogEvent, _ steps: AsyncThrowingStream<Step, any Error>.Continuation) {
        switch event {
        case .connected, .disconnected: break
        case .lost, .behind, .differs: steps.finish(throwing: Failure.lost)
        case .record(let place, let time, let bytes):
            do throws(RecordError) {
                // one that was erased, and has nothing in its place, has no text
                if let bytes, let step = try self.step(bytes, at: place, time) { steps.yield(step) }
            } catch {
                return steps.finish(throwing: error)
            }
            if place >= self.end || time > self.time.upperBound { steps.finish() }
        }
    }
}
