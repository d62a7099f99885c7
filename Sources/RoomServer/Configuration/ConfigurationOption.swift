/// One thing that the broker can be told: a flag, an environment variable and a key of the file, all of one name.
package struct ConfigurationOption: Sendable {
    enum Arity: Sendable {
        case one
        /// Given several times, as a list in the file.
        case many
        /// A flag without a value.
        case toggle
    }

    /// The flag without its hyphens, and the key of the file.
    package let key: String
    let arity: Arity
    let placeholder: String
    let allowed: String
    package let help: String
    let apply: @Sendable ([String], inout ServerConfiguration) throws(InvalidValue) -> Void
    let format: @Sendable (ServerConfiguration) -> [String]
    /// Instead of the value, for a default that depends on the machine.
    var defaultNote: String?
    /// The value is never shown.
    var isSecret = false

    /// The values that it can have, for a shell.
    package enum Values: Equatable, Sendable {
        case words([String])
        case file
        case directory
        case anything
    }

    package var isToggle: Bool { self.arity == .toggle }
    package var isRepeatable: Bool { self.arity == .many }

    /// As the placeholder tells: `FILE|off`, `error|warning|info`.
    package var values: Values {
        let parts = self.placeholder.split(separator: "|").map(String.init)
        if parts.contains("FILE") || parts.contains("PATH") { return .file }
        if parts.contains(where: { $0.hasPrefix("DIR") }) { return .directory }
        let words = parts.filter { $0 == $0.lowercased() }
        return words.isEmpty ? .anything : .words(words)
    }

    /// The environment variable.
    var variable: String { Self.variablePrefix + self.key.uppercased().replacing("-", with: "_") }

    static let variablePrefix = "ROOMLINE_"

    /// The flag as the help shows it.
    var usage: String { self.arity == .toggle ? "--\(self.key)" : "--\(self.key) \(self.placeholder)" }

    /// The value that holds when nobody says anything.
    var defaultText: String {
        self.defaultNote ?? self.text(in: ServerConfiguration(storage: .memory))
    }

    /// The value, in the form in which it can be given.
    func text(in configuration: ServerConfiguration) -> String {
        self.shown(self.format(configuration).joined(separator: "; "))
    }

    /// A value of this option, for people.
    func shown(_ value: String) -> String { self.isSecret ? "<redacted>" : value }
}

extension ConfigurationOption {
    init<Value>(
        _ key: String,
        _ field: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ form: ValueForm<Value>,
        _ help: String,
        arity: Arity = .one
    ) {
        self.init(
            key: key,
            arity: arity,
            placeholder: form.placeholder,
            allowed: form.allowed,
            help: help,
            apply: { texts, configuration throws(InvalidValue) in
                for text in texts { configuration[keyPath: field] = try form.parse(text) }
            },
            format: { [form.format($0[keyPath: field])] }
        )
    }

    init<Value>(
        repeatable key: String,
        _ field: any WritableKeyPath<ServerConfiguration, [Value]> & Sendable,
        _ form: ValueForm<Value>,
        _ help: String
    ) {
        self.init(
            key: key,
            arity: .many,
            placeholder: form.placeholder,
            allowed: form.allowed,
            help: help,
            apply: { texts, configuration throws(InvalidValue) in
                var values: [Value] = []
                for text in texts where !text.isEmpty { values.append(try form.parse(text)) }
                if values.isEmpty { throw InvalidValue(value: "", allowed: form.allowed) }
                configuration[keyPath: field] = values
            },
            format: { $0[keyPath: field].map(form.format) }
        )
    }

    init(
        toggle key: String,
        _ field: any WritableKeyPath<ServerConfiguration, Bool> & Sendable,
        _ help: String
    ) {
        let form = ValueForm<Bool>("true|false", allowed: "true or false", format: { "\($0)" }, read: { Bool($0) })
        self.init(key, field, form, help, arity: .toggle)
    }
}
