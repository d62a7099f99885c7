import RoomHTTP
import RoomModel

extension ChannelOverride {
    /// What this `--channel` keeps from being changed at run time: the settings that it names.
    var locks: [ChannelLock] {
        if self.onlyCreates { return [] }
        return ChannelSetting.all.compactMap { setting in
            guard let text = setting.format(self) else { return nil }
            var only = ChannelOverride(id: self.id)
            setting.copy(self, &only)
            return ChannelLock(name: setting.name, flag: "--channel \(self.id),\(text)") { [only] settings in
                only.settings(over: settings)
            }
        }
    }
}
