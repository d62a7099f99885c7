/// How the values of one kind are written: read from a text, shown as one, and told to people.
struct ValueForm<Value>: Sendable {
    /// Stands for the value in the help: `HOST:PORT`.
    let placeholder: String
    /// Completes "give …".
    let allowed: String
    let parse: @Sendable (String) throws(InvalidValue) -> Value
    let format: @Sendable (Value) -> String
}

extension ValueForm {
    /// A form whose reader only knows yes and no.
    init(
        _ placeholder: String,
        allowed: String,
        format: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.placeholder = placeholder
        self.allowed = allowed
        self.format = format
        self.parse = { text throws(InvalidValue) in
            guard let value = read(text) else { throw InvalidValue(value: text, allowed: allowed) }
            return value
        }
    }

    /// `word` for `nil`, beside what `form` takes.
    static func word<Wrapped>(
        _ word: String,
        or form: ValueForm<Wrapped>
    ) -> ValueForm where Value == Wrapped? {
        ValueForm(
            placeholder: "\(form.placeholder)|\(word)",
            allowed: "\(form.allowed), or \(word)",
            parse: { text throws(InvalidValue) in
                if text == word { return nil }
                do throws(InvalidValue) {
                    return try form.parse(text)
                } catch {
                    throw InvalidValue(value: error.value, allowed: "\(error.allowed), or \(word)")
                }
            },
            format: { value in value.map(form.format) ?? word }
        )
    }

    /// One of the cases of an enumeration.
    static func choice() -> ValueForm where Value: CaseIterable & RawRepresentable<String> & SendableMetatype {
        let words = Value.allCases.map(\.rawValue)
        return ValueForm(
            words.joined(separator: "|"),
            allowed: words.joined(separator: ", "),
            format: { $0.rawValue },
            read: { Value(rawValue: $0) }
        )
    }
}

extension ValueForm<String> {
    static func one(of words: [String]) -> ValueForm {
        ValueForm(
            words.joined(separator: "|"),
            allowed: words.joined(separator: ", "),
            format: { $0 },
            read: { words.contains($0) ? $0 : nil }
        )
    }
}
