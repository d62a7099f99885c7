import RoomModel

extension ValueForm<ChannelOverride> {
    /// `ID,history=N|off,history-age=DURATION,durability=process|power,grace=DURATION`, all but the id optional.
    static var channel: ValueForm {
        ValueForm(
            placeholder: "ID[,SETTING=VALUE…]",
            allowed: "a channel such as talk,history=1000,durability=power",
            parse: { text throws(InvalidValue) in try self.read(text) },
            format: { channel in
                ([channel.id.text] + ChannelSetting.all.compactMap { $0.format(channel) }).joined(separator: ",")
            }
        )
    }

    private static func read(_ text: String) throws(InvalidValue) -> ChannelOverride {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var channel = ChannelOverride(id: try ValueForm<ChannelID>.channelID.parse(parts[0]))
        var names: Set<String> = []
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, let setting = ChannelSetting.all.first(where: { $0.name == sides[0] }) else {
                throw InvalidValue(
                    value: part.isEmpty ? text : part,
                    allowed: ChannelSetting.all.map(\.placeholder).joined(separator: ", ")
                )
            }
            guard names.insert(setting.name).inserted else {
                throw InvalidValue(value: part, allowed: "each setting once")
            }
            try setting.apply(sides[1], &channel)
        }
        if channel.history == .off, channel.historyAge != nil {
            throw InvalidValue(value: text, allowed: "history-age only with a history")
        }
        return channel
    }
}
