import Configuration
import RoomModel

/// Reads `--key value`, `--key=value` and `--toggle` by the table.
///
/// The library's own provider for arguments splits values at commas, which stand within a `--channel`, and lets unknown
/// flags pass.
enum FlagReader {
    static func read(_ arguments: [String]) throws(ConfigurationError) -> [AbsoluteConfigKey: ConfigValue] {
        var texts: [String: [String]] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw .unexpectedArgument(argument) }
            let sides = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = sides.first, let option = OptionTable.option(String(key)) else {
                throw self.unknownFlag(String(sides.first ?? ""))
            }
            let value = sides.count == 2 ? String(sides[1]) : try self.value(of: option, from: &rest)
            // As everywhere on a command line, the last one holds; a list takes them all.
            texts[option.key] = option.arity == .many ? texts[option.key, default: []] + [value] : [value]
        }
        return self.values(texts)
    }

    private static func value(
        of option: ConfigurationOption,
        from rest: inout ArraySlice<String>
    ) throws(ConfigurationError) -> String {
        if option.arity == .toggle { return "true" }
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw .missingValue(flag: "--\(option.key)", allowed: option.allowed)
        }
        rest.removeFirst()
        return next
    }

    private static func unknownFlag(_ key: String) -> ConfigurationError {
        let nearest = NearestName.of(key, among: OptionTable.options.map(\.key) + ConfigurationLoader.commandKeys)
        return .unknownName("--\(key)", nearest: nearest.map { "--\($0)" }, origin: .flag)
    }

    private static func values(_ texts: [String: [String]]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in texts {
            let isList = OptionTable.option(key)?.arity == .many
            let content: ConfigContent = isList ? .stringArray(texts) : .string(texts.joined())
            values[AbsoluteConfigKey([key])] = ConfigValue(content, isSecret: false)
        }
        return values
    }
}
