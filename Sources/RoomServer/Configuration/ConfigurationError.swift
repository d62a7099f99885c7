/// Why the broker does not start as it was told. The text names the key and the value, and what would be right.
package enum ConfigurationError: Error, Equatable {
    /// `name` and `nearest` as they are written where they stand: flag, variable or key.
    case unknownName(String, nearest: String?, origin: ConfigurationOrigin)
    case missingValue(flag: String, allowed: String)
    case unexpectedArgument(String)
    /// `value` is in quotes where it is a text.
    case badValue(name: String, value: String, allowed: String, origin: ConfigurationOrigin)
    case unreadableFile(path: String, reason: String)
    /// Values that are fine one by one, but not together or not on this machine.
    ///
    /// `isUsage`: the command line is the place to mend them.
    case refused(String, isUsage: Bool = true)

    /// EX_USAGE for what stands on the command line, EX_CONFIG for what stands elsewhere (sysexits.h).
    package var exitCode: Int32 {
        switch self {
        case .unknownName(_, _, let origin), .badValue(_, _, _, let origin): origin == .flag ? 64 : 78
        case .refused(_, let isUsage): isUsage ? 64 : 78
        case .missingValue, .unexpectedArgument: 64
        case .unreadableFile: 78
        }
    }
}

extension ConfigurationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownName(let name, let nearest, let origin):
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            return "\(name) is unknown\(hint) (\(self.place(origin)); see roomline serve --help)"
        case .missingValue(let flag, let allowed):
            return "\(flag) needs a value: give \(allowed)"
        case .unexpectedArgument(let text):
            return "\"\(text)\" belongs to no flag; see roomline serve --help"
        case .badValue(let name, let value, let allowed, _):
            return "\(name) cannot be \(value): give \(allowed)"
        case .unreadableFile(let path, let reason):
            return "the configuration file \(path) cannot be used: \(reason)"
        case .refused(let text, _):
            return text
        }
    }

    private func place(_ origin: ConfigurationOrigin) -> String {
        switch origin {
        case .flag, .default: "on the command line"
        case .environment: "in the environment"
        case .file(let path): "in \(path)"
        }
    }
}

/// A text that an option does not take, and what it would take.
struct InvalidValue: Error, Equatable {
    let value: String
    /// Completes "give …".
    let allowed: String
}
