import RoomControl
package import RoomModel

/// The settings that a `--channel` names for one channel, which win over what is stored.
package struct ChannelOverride: Equatable, Sendable {
    /// The values of what is named; what else is in it does not count.
    private var given: ChannelSettings
    private var names: Set<String> = []
    /// The channel is made where it is missing, and left as it is where it exists.
    private var onlyCreates = false

    var id: ChannelID { self.given.id }

    init(id: ChannelID) {
        self.given = ChannelSettings(id: id)
    }

    /// The channel that exists without any `--channel`. Nobody named it, so it does not overrule what is stored.
    package static var implied: ChannelOverride {
        var channel = ChannelOverride(id: .standard)
        channel.names = ["history"]
        channel.onlyCreates = true
        return channel
    }

    /// The flags that are named, in the order of the description.
    private var named: [ChannelFlag] { ChannelFlag.all.filter { self.names.contains($0.name) } }

    var namesAuthentication: Bool { self.names.contains("auth") }

    /// The channel's settings from now on.
    func settings(over existing: ChannelSettings?) -> ChannelSettings {
        if let existing, self.onlyCreates { return existing }
        var settings = existing ?? ChannelSettings(id: self.id)
        for flag in self.named { flag.setting.copy(from: self.given, to: &settings) }
        return settings
    }

    /// The settings that this `--channel` names, which cannot be changed at run time.
    var locks: [ChannelLock] {
        if self.onlyCreates { return [] }
        return self.named.map { flag in
            ChannelLock(name: flag.name, flag: "--channel \(self.id),\(flag.text(in: self.given))") {
                [given = self.given] settings in
                var locked = settings
                flag.setting.copy(from: given, to: &locked)
                return locked
            }
        }
    }
}

extension ChannelOverride {
    /// Reads `ID,SETTING=VALUE…`.
    init(_ text: String) throws(InvalidValue) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        self.init(id: try ValueForm<ChannelID>.channelID.parse(parts[0]))
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, let flag = ChannelFlag.all.first(where: { $0.name == sides[0] }) else {
                throw InvalidValue(
                    value: part.isEmpty ? text : part,
                    allowed: ChannelFlag.all.map(\.usage).joined(separator: ", ")
                )
            }
            guard self.names.insert(flag.name).inserted else {
                throw InvalidValue(value: part, allowed: "each setting once")
            }
            try flag.read(sides[1], &self.given)
        }
        if self.names.contains("history-age"), self.given.history == nil {
            throw InvalidValue(value: text, allowed: "history-age only with a history")
        }
    }

    /// As it can be given.
    var text: String {
        ([self.id.text] + self.named.map { $0.text(in: self.given) }).joined(separator: ",")
    }
}

extension ValueForm<ChannelOverride> {
    static var channel: ValueForm {
        ValueForm(
            placeholder: "ID[,SETTING=VALUE…]",
            allowed: "a channel such as talk,history=1000,durability=power",
            parse: { text throws(InvalidValue) in try ChannelOverride(text) },
            format: \.text
        )
    }
}

extension ChannelID {
    /// The channel that there is when nobody names one.
    package static let standard: ChannelID = {
        guard let id = ChannelID("default") else { preconditionFailure("\"default\" has become an invalid channel id") }
        return id
    }()
}
