import RoomModel

/// One `NAME=VALUE` of a `--channel`.
struct ChannelSetting: Sendable {
    let name: String
    let placeholder: String
    let apply: @Sendable (String, inout ChannelOverride) throws(InvalidValue) -> Void
    /// `nil` where the channel does not name it.
    let format: @Sendable (ChannelOverride) -> String?
    /// From one override to another.
    let copy: @Sendable (ChannelOverride, inout ChannelOverride) -> Void

    static let all = [
        ChannelSetting("auth", \.authentication, .choice()),
        ChannelSetting("token-expiry", \.tokenExpiry, .choice()),
        ChannelSetting("presence", \.presence, .choice()),
        ChannelSetting("history", \.history, .history),
        ChannelSetting("history-age", \.historyAge, .duration(.seconds(1)...ConfigurationBounds.longest)),
        ChannelSetting("durability", \.durability, .choice()),
        ChannelSetting("grace", \.grace, .duration(.zero...ConfigurationBounds.longest)),
    ]

    private init<Value>(
        _ name: String,
        _ field: any WritableKeyPath<ChannelOverride, Value?> & Sendable,
        _ form: ValueForm<Value>
    ) {
        self.name = name
        self.placeholder = "\(name)=\(form.placeholder)"
        self.apply = { text, channel throws(InvalidValue) in
            do throws(InvalidValue) {
                channel[keyPath: field] = try form.parse(text)
            } catch {
                throw InvalidValue(value: "\(name)=\(error.value)", allowed: "for \(name) \(error.allowed)")
            }
        }
        self.copy = { from, to in to[keyPath: field] = from[keyPath: field] }
        self.format = { channel in channel[keyPath: field].map { "\(name)=\(form.format($0))" } }
    }
}

extension ValueForm<ChannelOverride.History> {
    fileprivate static var history: ValueForm {
        let count = ValueForm<Int?>.word("off", or: .count(ConfigurationBounds.counts))
        return ValueForm(
            placeholder: count.placeholder,
            allowed: count.allowed,
            parse: { text throws(InvalidValue) in try count.parse(text).map { .count($0) } ?? .off },
            format: { history in
                switch history {
                case .off: count.format(nil)
                case .count(let messages): count.format(messages)
                }
            }
        )
    }
}
