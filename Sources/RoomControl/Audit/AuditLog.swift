package import Logging
package import RoomCore

/// The audit log: read for the admin API, and added to where a change lies outside the control file.
package struct AuditLog: Sendable {
    private let directory: any AdminDirectory
    private let logger: Logger
    private let disk = Blocking(label: "roomline.audit")

    package init(directory: any AdminDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    /// Notes what is done already: a failure cannot undo it and goes to the broker's own log, with the entry.
    package func append(_ entry: AuditEntry) async {
        do throws(ChannelDirectoryError) {
            try await self.disk.run { [directory] () throws(ChannelDirectoryError) in try directory.append(entry) }
        } catch {
            self.logger.error(
                "the audit log could not be written",
                metadata: [
                    "error": "\(error.text)", "audit.action": "\(entry.action)", "audit.actor": "\(entry.actor)",
                    "audit.target": "\(entry.target)",
                ]
            )
        }
    }

    /// Newest first.
    package func entries(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) async throws(ControlError) -> [StoredAuditEntry] {
        do throws(ChannelDirectoryError) {
            return try await self.disk.run { [directory] () throws(ChannelDirectoryError) in
                try directory.audit(before: before, limit: limit, matching: filter)
            }
        } catch {
            throw ControlError(.storageUnavailable, error.text)
        }
    }
}
