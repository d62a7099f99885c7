import RoomModel

/// One `NAME=VALUE` of a `--channel`.
struct ChannelFlag: Sendable {
    let setting: ChannelSetting
    private let form: TextForm

    static let all = ChannelSetting.all.compactMap(ChannelFlag.init)

    /// All of them, for the help of `--channel`.
    static let help = Self.all.map {
        "\($0.usage) (\($0.setting.summary.prefix(1).lowercased())\($0.setting.summary.dropFirst()))"
    }
    .joined(separator: ", ")

    var name: String { self.setting.option }
    /// How the help and a refusal show it.
    var usage: String { "\(self.name)=\(self.setting.placeholder)" }

    /// `nil` where `--channel` does not take the setting. It cannot take texts and lists, which may have commas in them.
    init?(_ setting: ChannelSetting) {
        guard setting.isInFlag, let form = TextForm(setting.form) else { return nil }
        self.setting = setting
        self.form = form
    }

    func read(_ text: String, _ settings: inout ChannelSettings) throws(InvalidValue) {
        do throws(InvalidValue) {
            try self.form.read(text, &settings)
        } catch {
            throw InvalidValue(value: "\(self.name)=\(error.value)", allowed: "for \(self.name) \(error.allowed)")
        }
    }

    /// As it can be given.
    func text(in settings: ChannelSettings) -> String { "\(self.name)=\(self.form.text(settings))" }
}

/// How the value of a setting is written.
private struct TextForm: Sendable {
    let read: @Sendable (String, inout ChannelSettings) throws(InvalidValue) -> Void
    let text: @Sendable (ChannelSettings) -> String

    init?(_ form: ChannelSetting.Form) {
        switch form {
        case .choice(let field, let words): self.init(field, .one(of: words))
        case .count(let field, let bounds, let none): self.init(field, orNone: .word(none, or: .count(bounds)))
        case .duration(let field, let bounds, _): self.init(field, .duration(bounds))
        case .text, .historyRules, .origins: return nil
        }
    }

    private init<Value>(_ field: ChannelSetting.Field<Value>, _ form: ValueForm<Value>) {
        self.read = { text, settings throws(InvalidValue) in field.set(try form.parse(text), &settings) }
        self.text = { field.get($0).map(form.format) ?? "" }
    }

    /// - Parameter form: has a word for no value.
    private init<Value>(_ field: ChannelSetting.Field<Value>, orNone form: ValueForm<Value?>) {
        self.read = { text, settings throws(InvalidValue) in field.set(try form.parse(text), &settings) }
        self.text = { form.format(field.get($0)) }
    }
}
