import Foundation
import RoomModel

@testable import RoomServer

/// A configuration file is refused, or says what its listing says when that is given as the environment.
enum ConfigurationFuzz: FuzzTarget {
    static let name = "configuration"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let path = try ScratchFile.write(bytes, as: "roomline.json")
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try ConfigurationLoader.load(flags: [], environment: ["HOME": ScratchFile.folder], file: path)
        } catch {
            return try demand(!"\(error)".isEmpty, "an error without a text")
        }
        var environment = ["HOME": ScratchFile.folder]
        for option in OptionTable.options where loaded.origins[option.key] != nil {
            let texts = option.format(loaded.configuration)
            // A list in the environment has its elements between semicolons.
            guard !texts.contains(where: { $0.contains(";") }) else { return }
            environment[option.variable] = texts.joined(separator: ";")
        }
        let again: LoadedConfiguration
        do throws(ConfigurationError) {
            again = try ConfigurationLoader.load(flags: [], environment: environment, file: nil)
        } catch {
            throw BrokenInvariant(description: "what is listed is refused: \(error)")
        }
        try demand(again.configuration == loaded.configuration, "as \(environment) it is another configuration")
    }
}
