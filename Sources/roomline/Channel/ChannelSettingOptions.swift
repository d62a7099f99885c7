import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// The options that set a channel's settings: one for each setting, and one for all limits.
///
/// The parser asks the mirror of a type for its options. This mirror is made from the description of the settings
/// (`ChannelSetting.all`), where other types have a property for each option.
struct ChannelSettingOptions: ParsableArguments, CustomReflectable {
    private var options: [SettingOption]

    init() {
        var names: Set<String> = []
        let settings = ChannelSetting.all.filter { names.insert($0.option).inserted }
        self.options = settings.map(SettingOption.init)
    }

    init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: OptionKey.self)
        for index in self.options.indices { try self.options[index].decode(from: container) }
    }

    var customMirror: Mirror {
        Mirror(self, children: self.options.map { (label: "_\($0.name)", value: $0.argument) }, displayStyle: .struct)
    }

    func validate() throws {
        guard self.values("history") != [.null] || self.values("history-age").isEmpty else {
            throw ValidationError("--history-age goes with a history, and --history off keeps none.")
        }
    }

    /// The settings that were named, as the API takes them. The words are for the broker to check: it knows which there
    /// are.
    var fields: [JSONTree.Field] {
        ChannelSetting.entries.compactMap { entry in
            self.value(of: entry).map { JSONTree.Field(entry.name, $0) }
        }
    }

    private func value(of entry: ChannelSetting.Entry) -> JSONTree? {
        switch entry {
        case .setting(let setting):
            let values = self.values(setting.option)
            guard setting.isList else { return values.last }
            // An empty text is for none at all.
            return values.isEmpty ? nil : .array(values.filter { $0 != .string("") })
        case .group(.limits, let limits):
            let values = self.values(limits[0].option)
            return values.isEmpty ? nil : .object(values.flatMap(\.fields))
        case .group(.history, let settings):
            if self.values(settings[0].option) == [.null] { return .null }
            let fields = settings.compactMap { setting in
                self.values(setting.option).last.map { JSONTree.Field(setting.key, $0) }
            }
            return fields.isEmpty ? nil : .object(fields)
        }
    }

    /// The values that were given for an option, in this order.
    private func values(_ option: String) -> [JSONTree] {
        self.options.first { $0.name == option }?.values ?? []
    }
}

/// The key of an option, which is its name.
private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The option of one setting, or of all limits.
private struct SettingOption {
    private enum Argument {
        case single(Option<JSONTree?>)
        case repeatable(Option<[JSONTree]>)
    }

    let name: String
    private var kind: Argument

    init(_ setting: ChannelSetting) {
        self.name = setting.option
        let name = NameSpecification.customLong(setting.option)
        if setting.isList || setting.group == .limits {
            self.kind = .repeatable(
                Option(wrappedValue: [], name: name, help: setting.help, transform: { try setting.tree($0) })
            )
        } else {
            self.kind = .single(Option(name: name, help: setting.help, transform: { try setting.tree($0) }))
        }
    }

    /// The name by which the parser finds the option.
    var argument: Any {
        switch self.kind {
        case .single(let option): option
        case .repeatable(let option): option
        }
    }

    var values: [JSONTree] {
        switch self.kind {
        case .single(let option): option.wrappedValue.map { [$0] } ?? []
        case .repeatable(let option): option.wrappedValue
        }
    }

    mutating func decode(from container: KeyedDecodingContainer<OptionKey>) throws {
        let key = OptionKey(stringValue: self.name)
        switch self.kind {
        case .single: self.kind = .single(try container.decode(Option<JSONTree?>.self, forKey: key))
        case .repeatable: self.kind = .repeatable(try container.decode(Option<[JSONTree]>.self, forKey: key))
        }
    }
}
