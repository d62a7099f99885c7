/// Where a value came from. What stands first wins.
package enum ConfigurationOrigin: Equatable, Sendable {
    case flag
    case environment
    case file(path: String)
    case `default`

    /// How somebody who reads the message finds the place to change.
    func name(of option: ConfigurationOption) -> String { self.name(key: option.key, variable: option.variable) }

    func name(key: String, variable: String) -> String {
        switch self {
        case .flag, .default: "--\(key)"
        case .environment: variable
        case .file(let path): "\"\(key)\" in \(path)"
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
