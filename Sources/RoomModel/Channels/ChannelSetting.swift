/// The description of one setting of a channel. Store, admin API, flags, commands and docs all go by `ChannelSetting.all`.
package struct ChannelSetting: Sendable {
    /// An object of the admin API that has settings in it.
    package enum Group: String, Sendable {
        /// Null in a channel whose rooms keep none.
        case history
        case limits
    }

    package let group: Group?
    /// The field of the admin API, in the object of its group.
    package let key: String
    package let form: Form
    /// A definition of the setting, as the beginning of a sentence.
    package let summary: String
    /// Further explanation, as sentences; empty: none.
    package let details: String
    /// From when on a change holds, and what it means for those who are connected.
    package let change: String
    /// The column of the table `channel`.
    package let column: String
    /// The option of `channel create` and `channel set`; all limits share one.
    package let option: String
    /// Whether `--channel` of `roomline serve` takes it, under the name of the option.
    package let isInFlag: Bool

    /// As the docs name it: `token_expiry`, `limits.rooms`.
    package var name: String { self.group.map { "\($0.rawValue).\(self.key)" } ?? self.key }

    /// - Parameters:
    ///   - column: `nil`: the key.
    ///   - option: `nil`: the key, with hyphens.
    init(
        _ key: String,
        in group: Group? = nil,
        _ form: Form,
        _ summary: String,
        _ details: String = "",
        change: String,
        column: String? = nil,
        option: String? = nil,
        isInFlag: Bool = false
    ) {
        self.group = group
        self.key = key
        self.form = form
        self.summary = summary
        self.details = details
        self.change = change
        self.column = column ?? key
        self.option = option ?? key.replacing("_", with: "-")
        self.isInFlag = isInFlag
    }
}

// MARK: Values

extension ChannelSetting {
    /// Where a setting has its value: `nil` for none, and to bring it back to its default.
    package struct Field<Value>: Sendable {
        package let get: @Sendable (ChannelSettings) -> Value?
        package let set: @Sendable (Value?, inout ChannelSettings) -> Void

        static func at(_ path: any WritableKeyPath<ChannelSettings, Value> & Sendable) -> Field {
            Field(
                get: { $0[keyPath: path] },
                set: { value, settings in
                    settings[keyPath: path] = value ?? ChannelSettings(id: settings.id)[keyPath: path]
                }
            )
        }

        static func at(_ path: any WritableKeyPath<ChannelSettings, Value?> & Sendable) -> Field {
            Field(get: { $0[keyPath: path] }, set: { value, settings in settings[keyPath: path] = value })
        }
    }

    /// The type and bounds of a setting's values, and the field that holds them.
    package enum Form: Sendable {
        /// At most so many bytes, without control characters.
        case text(Field<String>, bytes: Int)
        /// One of these words; others are not to be set.
        case choice(Field<String>, words: [String])
        /// A number, or a word for none.
        case count(Field<Int>, ClosedRange<Int>, none: String = "none")
        /// Whole milliseconds.
        case duration(Field<Duration>, ClosedRange<Duration>, example: String)
        /// At most `ChannelBounds.historyRules`.
        case historyRules(Field<[HistoryRule]>)
        /// At most `ChannelBounds.origins`.
        case origins(Field<[String]>)

        static func choice<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
            of path: any WritableKeyPath<ChannelSettings, Word> & Sendable
        ) -> Form {
            let word = Field<Word>.at(path)
            let field = Field(
                get: { word.get($0)?.rawValue },
                set: { text, settings in word.set(text.flatMap { Word(rawValue: $0) }, &settings) }
            )
            return .choice(field, words: Word.allCases.map(\.rawValue))
        }
    }

    /// Gives `target` the value that `source` has.
    package func copy(from source: ChannelSettings, to target: inout ChannelSettings) {
        switch self.form {
        case .text(let field, _), .choice(let field, _): field.set(field.get(source), &target)
        case .count(let field, _, _): field.set(field.get(source), &target)
        case .duration(let field, _, _): field.set(field.get(source), &target)
        case .historyRules(let field): field.set(field.get(source), &target)
        case .origins(let field): field.set(field.get(source), &target)
        }
    }
}

extension ChannelSetting.Field<Int> {
    /// A count turns the history on, none turns it off.
    static var historyCount: ChannelSetting.Field<Int> {
        ChannelSetting.Field(
            get: { $0.history?.count },
            set: { count, settings in
                guard let count else {
                    settings.history = nil
                    return
                }
                settings.history = settings.history ?? HistorySettings()
                settings.history?.count = count
            }
        )
    }
}

extension ChannelSetting.Field<Duration> {
    /// The age limit of the channel's history; without a history it changes nothing.
    static var historyAge: ChannelSetting.Field<Duration> {
        ChannelSetting.Field(
            get: { $0.history?.age },
            set: { age, settings in settings.history?.age = age ?? HistorySettings().age }
        )
    }
}

// MARK: The whole

extension ChannelSetting {
    /// A field of a channel in the admin API: a setting, or an object of settings.
    package enum Entry: Sendable {
        case setting(ChannelSetting)
        case group(Group, [ChannelSetting])

        package var name: String {
            switch self {
            case .setting(let setting): setting.key
            case .group(let group, _): group.rawValue
            }
        }
    }

    /// Every setting, those of a group together.
    package static let entries: [Entry] = Self.all.reduce(into: []) { entries, setting in
        guard let group = setting.group else { return entries.append(.setting(setting)) }
        if case .group(group, let settings)? = entries.last {
            entries[entries.count - 1] = .group(group, settings + [setting])
        } else {
            entries.append(.group(group, [setting]))
        }
    }

    /// The settings of an object.
    package static func settings(of group: Group) -> [ChannelSetting] { Self.all.filter { $0.group == group } }

    /// Stands for the value in help and docs.
    package var placeholder: String {
        switch self.form {
        case .text: "TEXT"
        case .choice(_, let words): words.joined(separator: "|")
        case .count(_, _, let none): self.group == .limits ? "\(self.key)=N|\(none)" : "N|\(none)"
        case .duration: "DURATION"
        case .historyRules: "PATTERN=N|off"
        case .origins: "ORIGIN"
        }
    }
}

/// How far the settings of a channel go, by a flag and by the admin API alike. The bounds are wide: they keep out slips and
/// overflows, not opinions.
package enum ChannelBounds {
    package static let longest = Duration.seconds(3_650 * 24 * 3_600)
    package static let counts = 1...1_000_000_000
    /// A line that reaches `FrameLimits.endlessLine` ends its connection, so no message can be larger.
    package static let messageBytes = 1...FrameLimits().endlessLine
    /// Bytes: enough for a picture as a data URL.
    package static let clientData = 1...65_536
    package static let usualClientData = 8_192
    /// Bytes.
    package static let name = 200
    /// Bytes of a rule's pattern, and rules of a channel.
    package static let pattern = 200
    package static let historyRules = 32
    /// Bytes of an origin, and origins of a channel.
    package static let origin = 300
    package static let origins = 100
    /// In the place of an origin: pages of all.
    package static let anyOrigin = "any"
    /// How long an earlier secret may still be taken at most.
    package static let overlap = Duration.seconds(30 * 24 * 3_600)
}
