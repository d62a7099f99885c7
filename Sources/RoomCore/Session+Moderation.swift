package import RoomModel

/// What a member may do to others.
extension Session {
    /// As `admission`, for acts of moderators: one at a time, and what follows waits for it. The session counts as querying
    /// until `queryAnswered`.
    package mutating func moderateReceived(_ request: ModerationRequest, callback: Int64?) -> Admission {
        let admission = self.admission(callback)
        guard admission == .admitted else { return admission }
        guard self.isSettled, !self.isQuerying else { return .wait }
        guard self.permission(for: request.room).moderate else {
            return .refused(RequestError.denied("moderate", request.room).answering(callback))
        }
        self.isQuerying = true
        return .admitted
    }

    /// Who this member is to the audit log and in the frames that tell of its acts.
    ///
    /// - Parameter address: of its connection.
    package func moderator(address: IPAddress?) -> Moderator? {
        self.identity.map { identity in
            Moderator(
                actor: "member:\(identity.user ?? identity.clientID.text)",
                origin: address?.description ?? "unix",
                sender: identity.sender
            )
        }
    }
}
