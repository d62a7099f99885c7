import Foundation
import RoomJSON

/// Gathers the configuration: flags over environment over file over defaults.
package enum ConfigurationLoader {
    /// Names the file where no `--config` does.
    static let fileVariable = "\(ConfigurationOption.variablePrefix)CONFIG"

    /// Flags of `roomline serve` that are no settings of the broker.
    static let commandKeys = ["config", "print-config", "json", "help", "version"]

    /// - Parameters:
    ///   - flags: the arguments behind `serve`, without `--config` and `--print-config`.
    ///   - file: the value of `--config`.
    package static func load(
        flags: [String],
        environment: [String: String],
        file: String?
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var sources = [try ConfigurationSource.flags(flags), try .environment(environment)]
        if let path = file ?? environment[self.fileVariable] { sources.append(try .file(path)) }

        let userDirectory = StorageLocation.userDirectory(environment: environment)
        let defaults = ServerConfiguration(storage: userDirectory ?? .memory)
        let loaded = try self.load(from: sources, over: defaults)
        // Nobody asked for :memory:, so it must not be what a lost HOME leads to.
        if userDirectory == nil, loaded.origins["data"] == nil {
            throw .refused("there is no home directory to keep data in: give --data DIR, or --data :memory:")
        }
        do throws(ConfigurationError) {
            try ConfigurationCheck(configuration: loaded.configuration, names: loaded.names).run()
        } catch {
            // Without flags, the values stand in the file or in the environment.
            guard case .refused(let text, _) = error, flags.isEmpty else { throw error }
            throw .refused(text, isUsage: false)
        }
        return loaded
    }

    /// For each option the first source that says anything.
    private static func load(
        from sources: [ConfigurationSource],
        over defaults: ServerConfiguration
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var loaded = LoadedConfiguration(configuration: defaults, origins: [:])
        for option in OptionTable.options {
            for source in sources {
                guard let texts = source.texts[option.key] else { continue }
                try self.apply(texts, to: option, of: source, into: &loaded)
                break
            }
        }
        return loaded
    }

    private static func apply(
        _ texts: [String],
        to option: ConfigurationOption,
        of source: ConfigurationSource,
        into loaded: inout LoadedConfiguration
    ) throws(ConfigurationError) {
        let origin = source.origin
        do {
            try option.apply(texts, &loaded.configuration)
            loaded.origins[option.key] = origin
            loaded.names[option.key] = origin.name(of: option, at: source.places[option.key])
        } catch {
            throw .badValue(
                name: origin.name(of: option, at: source.places[option.key]),
                value: option.shown("\"\(error.value)\""),
                allowed: error.allowed,
                origin: origin
            )
        }
    }
}

/// A configuration together with where each of its values came from.
package struct LoadedConfiguration: Equatable, Sendable {
    package var configuration: ServerConfiguration
    /// By the option's key; what is missing is a default.
    package var origins: [String: ConfigurationOrigin]
    /// How each value that was given is called where it stands, by the option's key.
    var names: [String: String] = [:]

    /// The output of `--print-config`: a line an option, with key, value and origin. Secrets are left out.
    package var listing: String {
        let rows = self.rows
        let keyWidth = rows.map(\.key.count).max() ?? 0
        // A long value (channels, paths) does not push the last column out of sight.
        let valueWidth = min(rows.map(\.value.count).max() ?? 0, 40)
        return rows.map { row in
            "\(row.key.padded(to: keyWidth)) = \(row.value.padded(to: valueWidth))  (\(row.origin))\n"
        }.joined()
    }

    /// The same as JSON lines. The value is a text in the form in which it can be given.
    package var jsonLines: String {
        self.rows.map { row in
            let fields = [("option", row.key), ("value", row.value), ("source", "\(row.origin)")]
            return JSONTree.object(fields.map { .init($0.0, .string($0.1)) }).text + "\n"
        }.joined()
    }

    private var rows: [(key: String, value: String, origin: ConfigurationOrigin)] {
        OptionTable.options.map { option in
            (key: option.key, value: self.resolved(option), origin: self.origins[option.key] ?? .default)
        }
    }

    /// The value that holds, also where the default is only a word for it, or a path goes by the directory of the start.
    private func resolved(_ option: ConfigurationOption) -> String {
        let text = option.text(in: self.configuration)
        return switch option.key {
        case "admin-socket":
            self.configuration.listen.adminSocket.path(with: self.configuration.storage).map(Self.absolute) ?? "off"
        case "data":
            if case .directory(let path) = self.configuration.storage { Self.absolute(path) } else { text }
        case "tls-certificate": self.configuration.listen.tlsCertificate.map(Self.absolute) ?? text
        case "tls-key": self.configuration.listen.tlsKey.map(Self.absolute) ?? text
        case "pages": self.configuration.listen.servesPages ? "on" : "off"
        case "loops": "\(self.configuration.process.loopCount)"
        default: text
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}

extension String {
    /// With blanks behind it; longer text stays as it is.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
