import Logging
import RoomCore
import RoomModel
import RoomStore

extension BrokerStorage {
    /// Clears the logs that this start's settings do not cover, and those that the settings before it did not: what is
    /// published while a room keeps no history is in no log, so a log from before must not seem to go on after it.
    ///
    /// Done before anybody can connect.
    func clearLogsWithoutHistory() async {
        for stored in self.channels {
            let now = RoomChannel(settings: stored.settings)
            let before = self.settingsBefore[stored.settings.id].map { RoomChannel(settings: $0) }
            let isAsBefore =
                before?.settings.history == now.settings.history
                && before?.settings.historyRules == now.settings.historyRules
            await self.clearLogs(of: stored.settings.id, evenIfNone: !isAsBefore) { room in
                let wasKept = before.map { $0.history(of: room) != nil } ?? false
                return !wasKept || now.history(of: room) == nil
            }
        }
    }

    /// - Parameter evenIfNone: rooms of which nothing is stored begin other logs, too.
    private func clearLogs(of id: ChannelID, evenIfNone: Bool, where isOver: (RoomName) -> Bool) async {
        let rooms = await withCheckedContinuation { continuation in
            self.history.rooms(in: id) { continuation.resume(returning: $0) }
        }
        do throws(EngineError) {
            let over = try rooms.get().filter(isOver).map { RoomKey(channel: id, room: $0) }
            if over.isEmpty, !evenIfNone { return }
            let cleared = await withCheckedContinuation { continuation in
                self.history.clear(over) { continuation.resume(returning: $0) }
            }
            try cleared.get()
        } catch {
            self.logger.error(
                "the history that a channel has no more could not be removed",
                metadata: ["channel": "\(id)", "error": "\(error)"]
            )
        }
    }
}
