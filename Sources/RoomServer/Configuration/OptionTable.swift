/// Every option of `roomline serve`. Flags, environment, file, help and `--print-config` all go by this table.
///
/// To add an option: a field with its default in what `ServerConfiguration` holds, a row here, a row in `docs/configuration.md`.
package enum OptionTable {
    /// Options that belong together, under one title of the help.
    package struct Section: Sendable {
        package let title: String
        package let options: [ConfigurationOption]
    }

    package static let sections = [
        listening, proxies, storageAndChannels, cluster, plainText, tls, connections, frames, rooms, memory, process,
    ]

    package static let options = sections.flatMap(\.options)

    static func option(_ key: String) -> ConfigurationOption? {
        self.options.first { $0.key == key }
    }
}
