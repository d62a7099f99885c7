import RoomModel

/// Reads `--key value`, `--key=value` and `--toggle` by the table.
enum FlagReader {
    /// - Returns: what is given for each key.
    static func read(_ arguments: [String]) throws(ConfigurationError) -> [String: [String]] {
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
        return texts
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
}
