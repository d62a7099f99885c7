import Foundation

/// A file that is gone when the test is over.
final class TemporaryFile {
    let path: String

    init(_ text: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "roomline-\(UUID().uuidString).json")
        self.path = url.path
        try Data(text.utf8).write(to: url)
    }

    deinit {
        // A file that stays behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
