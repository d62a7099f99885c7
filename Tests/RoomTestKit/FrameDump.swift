import Foundation
import NIOConcurrencyHelpers

/// Writes the frames of a test run to a file, so that `scripts/validate-frames` can hold them against the schemas: only
/// where `ROOMLINE_FRAME_DUMP` names a directory.
package final class FrameDump: Sendable {
    package enum Direction: String {
        case client
        case broker
    }

    package static let shared: FrameDump? = ProcessInfo.processInfo.environment["ROOMLINE_FRAME_DUMP"].flatMap {
        FrameDump(directory: URL(filePath: $0))
    }

    private let file: NIOLockedValueBox<FileHandle>

    private init?(directory: URL) {
        let url = directory.appending(path: "\(UUID().uuidString).jsonl")
        guard FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil),
            let handle = FileHandle(forWritingAtPath: url.path(percentEncoded: false))
        else { return nil }
        self.file = NIOLockedValueBox(handle)
    }

    package func write(_ direction: Direction, _ frame: String) {
        let line = "{\"direction\":\"\(direction.rawValue)\",\"frame\":\(frame)}\n"
        // A lost line is noticed by validate-frames, which fails on an empty dump.
        self.file.withLockedValue { try? $0.write(contentsOf: Data(line.utf8)) }
    }
}
