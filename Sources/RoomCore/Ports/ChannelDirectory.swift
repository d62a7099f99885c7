package import RoomModel
import RoomTokens

/// The port to what is stored about channels (`control.sqlite`).
///
/// Each change is synced to the disk, together with its audit entry, and backed up on return. Calls block for the disk:
/// they are made at start and by administration only, never on an event loop.
package protocol ChannelDirectory: Sendable {
    /// The channels that exist, ordered by id.
    func channels() throws(ChannelDirectoryError) -> [StoredChannel]

    /// Makes sure that these channels exist with these settings; for what differs there is an audit entry with the actor
    /// `start`. A new channel gets a secret.
    func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError)

    /// Throws `.exists` where there is such a channel.
    @discardableResult
    func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel

    /// Throws `.notFound` or, where the channel is not at `ifVersion`, `.versionDiffers`.
    @discardableResult
    func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel

    /// Replaces a channel's secrets, of which one has no expiry. Throws as `update` does.
    @discardableResult
    func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel

    /// Removes the channel and its secrets; its rooms' messages are the engine's. Throws as `update` does.
    func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError)
}

/// A channel as it is stored.
package struct StoredChannel: Equatable, Sendable {
    package var settings: ChannelSettings
    /// The current one first.
    package var secrets: [ChannelSecret]
    /// One more with each change; a channel that is deleted and made again goes on above what it had.
    package var version: Int64

    package init(settings: ChannelSettings, secrets: [ChannelSecret], version: Int64) {
        self.settings = settings
        self.secrets = secrets
        self.version = version
    }
}

/// A call of the directories failed. The text says what was wrong, and what would be right or what to do.
package struct ChannelDirectoryError: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The control file cannot be read or written.
        case unavailable
        case notFound
        case exists
        /// Somebody else made a change since.
        case versionDiffers
    }

    package var reason: Reason
    package var text: String

    package init(_ reason: Reason, text: String) {
        self.reason = reason
        self.text = text
    }
}

extension ChannelSecret {
    /// A new secret: 256 random bits in base64url. `generator` has to be a cryptographic one.
    package static func random(using generator: inout some RandomNumberGenerator) -> ChannelSecret {
        let words = (0..<4).map { _ -> UInt64 in generator.next() }
        return ChannelSecret(text: Base64URL.encode(words.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }))
    }
}
