import Logging

/// The log lines about messages that are missing where the history is opened.
extension HistorySupervisor {
    func tellMissing() {
        self.logger.critical(
            "the history file is missing, although other files of it are there: a new and empty one is begun",
            metadata: self.metadata
        )
    }

    func tell(_ begun: HistorySession.Beginning) {
        switch (begun.newEpochs, begun.lost) {
        case (.none, _): break
        case (.unsynced, .unsynced):
            self.logger.critical(
                "the history's -wal ends before what was committed, newest messages are lost: unsynced rooms begin new epochs",
                metadata: self.metadata
            )
        case (.unsynced, _):
            self.logger.warning(
                "the machine went down while the history was in use: unsynced rooms begin new epochs",
                metadata: self.metadata
            )
        case (.all, _): self.tellAllLost(begun.record)
        }
    }

    private func tellAllLost(_ record: CommitRecordFile.Content) {
        switch record {
        case .record:
            self.logger.critical(
                "the history's -wal is damaged or missing, newest messages may be lost: all rooms begin new epochs",
                metadata: self.metadata
            )
        case .absent:
            self.logger.critical(
                "the record of the history's commits is missing, newest messages may be lost: all rooms begin new epochs",
                metadata: self.metadata
            )
        case .damaged:
            self.logger.critical(
                "the record of the history's commits is damaged, newest messages may be lost: all rooms begin new epochs",
                metadata: self.metadata
            )
        }
    }
}
