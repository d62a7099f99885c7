package import RoomModel

/// The identity and the rights that a member's token gives it.
extension Session {
    package enum AuthenticateAction: Equatable {
        /// The new token holds; `permission` says in which of these rooms the member may not be any more.
        case granted(checking: [RoomName])
        case refuse(RequestError)
        case wait
    }

    /// `now` is in Unix seconds.
    package mutating func authenticateReceived(
        token: String,
        callback: Int64?,
        now: Int64,
        activeSanctions: Handshake.SanctionLookup = { _, _ in ActiveSanctions() }
    ) -> AuthenticateAction {
        guard self.isSettled else { return .wait }
        do throws(RequestError) {
            let grant = try self.identity.channel.grant(token, now: now, after: self.authorization.grant)
            if let error = grant.refusal(of: self.identity.clientID) { throw error }
            if let ban = activeSanctions(grant.user, self.identity.clientID).channelBan {
                throw RequestError.banned(ban)
            }
            self.authorization = Authorization(.granted(grant))
            self.identify { $0.with(grant) }
            return .granted(checking: Array(self.rooms.keys))
        } catch {
            return .refuse(error.answering(callback))
        }
    }

    /// The member's permissions in this room.
    package mutating func permission(for room: RoomName) -> RoomPermission { self.authorization.permission(for: room) }

    /// The cost of what the token was asked since the last time: the member is charged for it.
    package mutating func takePermissionWork() -> Int { self.authorization.takeWork() }

    /// When the member's token ends that has to be renewed: Unix seconds; `nil` where it need not be.
    package var tokenEnd: Int64? {
        guard self.identity.channel.settings.tokenExpiry == .live else { return nil }
        return self.authorization.grant?.expires
    }

    /// Why the member may do nothing now: it has no valid token (any more) where it has to have one.
    package var lackOfToken: RequestError? { self.authorization.refusal }

    /// The token has had its time: nothing is answered before another one is shown.
    package mutating func tokenExpired() {
        self.authorization = Authorization(.expired)
    }

    /// The channel's settings or secrets are others from now on.
    ///
    /// - Returns: why the session cannot go on with them.
    package mutating func channelChanged(_ channel: RoomChannel) -> RequestError? {
        self.identify { $0.with(channel: channel) }
        switch (channel.settings.authentication, self.authorization.state) {
        case (.required, .unrestricted):
            self.authorization = Authorization(.awaited)
            return RequestError(.authenticationRequired, "the channel requires a token from now on")
        case (.none, _), (.optional, .awaited):
            self.authorization = Authorization(.unrestricted)
        case (.optional, _), (.required, _): break
        }
        return nil
    }
}
