import Foundation
import RoomClient
import RoomModel

/// The file of the contexts, in the user's configuration directory.
struct ContextStore: Sendable {
    static let noDirectory = "neither HOME nor XDG_CONFIG_HOME is set"

    let path: String

    /// - Returns: `nil` where the user has no such directory.
    init?(environment: [String: String]) {
        // The XDG specification has a relative path ignored.
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            self.path = base + "/roomline/contexts.json"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.path = home + "/.config/roomline/contexts.json"
        } else {
            return nil
        }
    }

    func load() throws(CommandFailure) -> ContextFile {
        guard FileManager.default.fileExists(atPath: self.path) else { return ContextFile() }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: self.path)).withoutByteOrderMark
        } catch {
            throw CommandFailure(code: .usage, text: "\(self.path) cannot be read: \(ErrorReason.text(error))")
        }
        do {
            return try JSONDecoder().decode(ContextFile.self, from: data)
        } catch {
            throw CommandFailure(
                code: .usage,
                text: "\(self.path) is not a file of contexts: repair it, or remove it and add the contexts again"
            )
        }
    }

    /// Puts a new file in the place of the old one, so that nobody reads half of it.
    func save(_ file: ContextFile) throws(CommandFailure) {
        let directory = URL(filePath: self.path).deletingLastPathComponent().path(percentEncoded: false)
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let text = String(decoding: try encoder.encode(file), as: UTF8.self)
            try SecretFile(replacing: self.path).write(text)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(code: .refused, text: "\(self.path) cannot be written: \(ErrorReason.text(error))")
        }
    }
}
