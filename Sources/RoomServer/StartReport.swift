import RoomModel

/// Where a broker is reached that has started, and what its channels keep.
package struct StartReport: Sendable {
    /// Such as `tcp://127.0.0.1:10000`.
    package let url: String
    /// Where the pages are, without a slash at its end; `nil`: nowhere.
    package let pages: String?
    /// `nil`: it is off.
    package let adminSocket: String?
    package let storage: StorageLocation
    /// Each channel, and what its rooms keep.
    package let channels: [(id: String, history: String)]

    /// The chat page of a channel that there is; `nil`: there is none.
    package var chat: String? {
        guard let pages, let first = self.channels.first else { return nil }
        // Without a channel in its address the page is for the usual one.
        return self.channels.contains { $0.id == ChannelID.standard.text }
            ? "\(pages)/" : "\(pages)/?channel=\(first.id)"
    }
}
