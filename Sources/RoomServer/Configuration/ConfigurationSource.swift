import Configuration
import RoomModel

/// One place that settings come from, with what it says.
struct ConfigurationSource: Sendable {
    let origin: ConfigurationOrigin
    /// Asked directly and not through a `ConfigReader`, which would not tell which of its providers has answered.
    let provider: any ConfigProvider

    /// What stands there for `option`, as text; `nil` where nothing does.
    func texts(for option: ConfigurationOption) throws(ConfigurationError) -> [String]? {
        let content: ConfigContent?
        do {
            let type: ConfigType = option.arity == .many ? .stringArray : .string
            content = try self.provider.value(forKey: AbsoluteConfigKey([option.key]), type: type).value?.content
        } catch {
            throw .badValue(
                name: self.origin.name(of: option),
                value: "\(error)",
                allowed: option.allowed,
                origin: self.origin
            )
        }
        switch content {
        case .string(let text): return [text]
        case .stringArray(let texts): return texts.filter { !$0.isEmpty }
        default: return nil
        }
    }
}

extension ConfigurationSource {
    static func flags(_ arguments: [String]) throws(ConfigurationError) -> ConfigurationSource {
        ConfigurationSource(
            origin: .flag,
            provider: InMemoryProvider(name: "flags", values: try FlagReader.read(arguments))
        )
    }

    static func file(_ path: String) throws(ConfigurationError) -> ConfigurationSource {
        ConfigurationSource(
            origin: .file(path: path),
            provider: InMemoryProvider(name: path, values: try ConfigurationFile.read(path))
        )
    }

    /// The variables that start with `ROOMLINE_`; all of these have to be known.
    static func environment(_ variables: [String: String]) throws(ConfigurationError) -> ConfigurationSource {
        let known = OptionTable.options.map(\.variable) + [ConfigurationLoader.fileVariable]
        let ours = variables.keys.filter { $0.hasPrefix(ConfigurationOption.variablePrefix) }
        if let unknown = ours.sorted().first(where: { !known.contains($0) }) {
            let nearest = NearestName.of(unknown, among: known)
            throw .unknownName(unknown, nearest: nearest, origin: .environment)
        }
        let provider = EnvironmentVariablesProvider(environmentVariables: variables, arraySeparator: ";")
        return ConfigurationSource(origin: .environment, provider: provider.prefixKeys(with: "roomline"))
    }
}
