import RoomModel

extension String {
    /// C0, DEL or C1.
    var hasControlCharacter: Bool {
        self.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// A browser's origin in the form that it has in the header: scheme, host and, where it is not the scheme's own, port
    /// (RFC 6454 §6.2).
    var isOrigin: Bool {
        guard self.utf8.count <= ChannelBounds.origin else { return false }
        return self.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/([a-z0-9._\-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/) != nil
    }
}
