package import RoomModel

/// The port to what is stored about channels (`control.sqlite`).
package protocol ChannelDirectory: Sendable {
    /// The channels that exist, ordered by id.
    func channels() throws(ChannelDirectoryError) -> [ChannelSettings]

    /// Makes sure that these channels exist with these settings; synced to the disk and backed up on return.
    func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError)
}

/// The control file cannot be read or written. The text says which file, why, and what to do.
package struct ChannelDirectoryError: Error, Equatable, Sendable {
    package var text: String

    package init(text: String) {
        self.text = text
    }
}
