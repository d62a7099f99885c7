import RoomModel

/// One place that settings come from, with what it says.
struct ConfigurationSource: Sendable {
    let origin: ConfigurationOrigin
    /// By the option's key, as texts: of a repeatable option each of them, of the others one.
    let texts: [String: [String]]
    /// Where an option stands in a file, by its key.
    let places: [String: String]

    private init(_ origin: ConfigurationOrigin, _ texts: [String: [String]], places: [String: String] = [:]) {
        self.origin = origin
        self.texts = texts
        self.places = places
    }

    static func flags(_ arguments: [String]) throws(ConfigurationError) -> ConfigurationSource {
        ConfigurationSource(.flag, try FlagReader.read(arguments))
    }

    static func file(_ path: String) throws(ConfigurationError) -> ConfigurationSource {
        let (texts, places) = try ConfigurationFile.read(path)
        return ConfigurationSource(.file(path: path), texts, places: places)
    }

    /// The variables that start with `ROOMLINE_`; all of these have to be known.
    static func environment(_ variables: [String: String]) throws(ConfigurationError) -> ConfigurationSource {
        var texts: [String: [String]] = [:]
        for (name, text) in variables.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(ConfigurationOption.variablePrefix) && name != ConfigurationLoader.fileVariable {
            guard let option = OptionTable.options.first(where: { $0.variable == name }) else {
                let known = OptionTable.options.map(\.variable) + [ConfigurationLoader.fileVariable]
                throw .unknownName(name, nearest: NearestName.of(name, among: known), origin: .environment)
            }
            texts[option.key] = option.arity == .many ? self.list(text) : [text]
        }
        return ConfigurationSource(.environment, texts)
    }

    /// The elements of a list with `;` between them, without the blanks around them.
    private static func list(_ text: String) -> [String] {
        text.split(separator: ";").map { element in
            let start = element.drop(while: \.isWhitespace)
            return String(start.reversed().drop(while: \.isWhitespace).reversed())
        }
    }
}

/// Where a value came from. The first of these that names an option wins.
package enum ConfigurationOrigin: Equatable, Sendable {
    case flag
    case environment
    case file(path: String)
    case `default`

    /// How somebody who reads the message finds the place to change.
    ///
    /// - Parameter place: in a file.
    func name(of option: ConfigurationOption, at place: String?) -> String {
        switch self {
        case .flag, .default: "--\(option.key)"
        case .environment: option.variable
        case .file(let path): "\"\(option.key)\" in \(path)" + (place.map { ", \($0)" } ?? "")
        }
    }
}

extension ConfigurationOrigin: CustomStringConvertible {
    package var description: String {
        switch self {
        case .flag: "flag"
        case .environment: "environment"
        case .file(let path): "file \(path)"
        case .default: "default"
        }
    }
}
