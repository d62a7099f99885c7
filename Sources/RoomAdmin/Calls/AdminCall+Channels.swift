public import RoomClient
package import RoomJSON

extension AdminList where Element == AdminChannel {
    /// All channels.
    public static var channels: Self { Self(documents: "channels", AdminRequest(.get, ["channels"])) }
}

extension AdminCall where Answer == AdminChannel {
    /// One channel.
    public static func channel(_ id: String) -> Self { Self(document: AdminRequest(.get, ["channels", id])) }

    /// Creates a channel. Only this answer and that of ``AdminCall/rotateSecret(of:overlap:ifVersion:)`` have its secret.
    ///
    /// - Parameters:
    ///   - id: the id of the channel.
    ///   - settings: an object with the settings that differ from the defaults, as `NewChannel` in
    ///     `Schemas/admin.openapi.yaml` describes them.
    /// - Throws: ``AdminError/Code/encodingFailed`` if they are no object.
    public static func createChannel(_ id: String, settings: JSON? = nil) throws(AdminError) -> Self {
        .createChannel(id, fields: try settings.map { json throws(AdminError) in try json.fields() } ?? [])
    }

    package static func createChannel(_ id: String, fields: [JSONTree.Field]) -> Self {
        Self(document: AdminRequest(.post, ["channels"], body: .object([.init("id", .string(id))] + fields)))
    }

    /// Changes settings of a channel, in effect at once. Nobody is disconnected, but for clients without a token where one is required from
    /// now on.
    ///
    /// - Parameters:
    ///   - id: the id of the channel.
    ///   - settings: an object with the settings to change; null restores a default, but turns a `history` off.
    ///   - version: only if the channel still has this version.
    /// - Throws: ``AdminError/Code/encodingFailed`` if the settings are no object.
    public static func changeChannel(
        _ id: String,
        settings: JSON,
        ifVersion version: Int64? = nil
    ) throws(AdminError) -> Self {
        .changeChannel(id, fields: try settings.fields(), ifVersion: version)
    }

    package static func changeChannel(_ id: String, fields: [JSONTree.Field], ifVersion version: Int64?) -> Self {
        Self(document: AdminRequest(.patch, ["channels", id], body: .object(fields), version: version))
    }
}

extension AdminCall where Answer == AdminSecret {
    /// Gives a channel a new secret.
    ///
    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - overlap: how long the broker still accepts the old one; `nil`: a day.
    ///   - version: only if the channel still has this version.
    public static func rotateSecret(
        of channel: String,
        overlap: Duration? = nil,
        ifVersion version: Int64? = nil
    ) -> Self {
        let rotation = AdminRotation(overlap: overlap)
        return Self(document: AdminRequest(.post, ["channels", channel, "secret"], body: rotation, version: version))
    }
}

extension AdminCall where Answer == Void {
    /// Deletes a channel with its secrets and its history, and disconnects its clients.
    ///
    /// - Parameters:
    ///   - id: the id of the channel.
    ///   - version: only if the channel still has this version.
    public static func deleteChannel(_ id: String, ifVersion version: Int64? = nil) -> Self {
        Self(AdminRequest(.delete, ["channels", id], body: nil, version: version))
    }
}

extension AdminCall where Answer == NotifiedConnections {
    /// Sends a notice, which is not stored, to all clients of a channel or to the members of one of its rooms.
    ///
    /// - Parameters:
    ///   - text: the text of the notice.
    ///   - room: `nil`: the whole channel.
    ///   - channel: the id of the channel.
    public static func notice(_ text: String, to room: String? = nil, in channel: String) -> Self {
        let path = ["channels", channel] + (room.map { ["rooms", $0] } ?? [])
        return Self(document: AdminRequest(.post, path + ["notices"], body: NewAdminNotice(text)))
    }
}

extension JSON {
    fileprivate func fields() throws(AdminError) -> [JSONTree.Field] {
        guard let tree = try? JSONTree.read(self.buffer), case .object(let fields) = tree else {
            throw AdminError(.encodingFailed, "the settings have to be a JSON object, not \(self.description.shown)")
        }
        return fields
    }
}

extension JSONTree {
    /// In seconds, as the API takes it.
    package static func seconds(_ duration: Duration) -> JSONTree {
        let (seconds, attoseconds) = duration.components
        return attoseconds == 0 ? .integer(seconds) : .number("\(Double(seconds) + Double(attoseconds) / 1e18)")
    }
}
