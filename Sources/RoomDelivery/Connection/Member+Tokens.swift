import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A member's token: another one is shown, or the time of the one that it has shown is over.
extension Member {
    func authenticate(_ token: String, callback: Int64?) -> Connection.Handling {
        if self.roomsToCheck == nil, let handling = self.show(token, callback: callback) { return handling }
        return self.checkRooms(callback)
    }

    /// - Returns: `nil` where the token holds, and the rooms are to be checked.
    private func show(_ token: String, callback: Int64?) -> Connection.Handling? {
        if let error = self.connection.throttled(token) {
            self.connection.refuse(error.answering(callback))
            return .done
        }
        self.connection.share.spend(Work.token(bytes: token.utf8.count))
        let sender = self.session.identity.sender
        let (connection, channel) = (self.connection, self.channel)
        let action = self.session.authenticateReceived(
            token: token,
            callback: callback,
            now: self.shard.unixSeconds,
            activeSanctions: { connection.activeSanctions(of: $0, $1, in: channel) }
        )
        switch action {
        case .wait: return .wait
        case .refuse(let error):
            self.connection.loginFailed(error)
            self.connection.refuse(error)
        case .granted(let rooms):
            self.watchToken()
            self.roomsToCheck = RoomsToCheck(rooms: rooms[...], sender: sender)
            return nil
        }
        return .done
    }

    /// Leaves the rooms in which the new token does not let the member be: as many at once as there is credit for, since each costs
    /// as much as the token has patterns.
    private func checkRooms(_ callback: Int64?) -> Connection.Handling {
        while let room = self.roomsToCheck?.rooms.popFirst() {
            if self.session.rooms[room] != nil, !self.session.permission(for: room).subscribe {
                self.remove(
                    from: room,
                    .permissionDenied,
                    reason: "the new token does not let you subscribe to this room"
                )
            }
            self.payForPermissions()
            if self.roomsToCheck?.rooms.isEmpty == false, !self.connection.share.hasCredit { return .unfinished }
        }
        let sender = self.roomsToCheck.take()?.sender
        if self.session.identity.sender != sender { self.tellRooms() }
        if let callback { self.connection.reply { $0.reply(to: callback) } }
        self.reviewSanctions()
        return .done
    }

    /// Charges what it has cost to ask the token.
    func payForPermissions() { self.connection.share.spend(self.session.takePermissionWork()) }

    /// Looks at the token again when it ends.
    func watchToken() {
        guard let end = self.session.tokenEnd else { return }
        self.setTokenTimer(
            in: self.tokenWatch.look(atEnd: end, clock: self.shard.unixSeconds, now: self.shard.now)
        )
    }

    func lookAtToken(in time: TimeAmount) {
        self.setTokenTimer(in: self.tokenWatch.look(in: time, now: self.shard.now))
    }

    private func setTokenTimer(in time: TimeAmount?) {
        if let time { self.shard.setDeadline(.token(connection: self.connection.ref.number), in: time) }
    }

    func tokenTimerFired() {
        switch self.tokenWatch.timerFired(now: self.shard.now) {
        case .nothing: return
        case .wait(let time): self.setTokenTimer(in: time)
        case .lookAtToken: self.tokenHasEnded()
        }
    }

    private func tokenHasEnded() {
        if let error = self.session.lackOfToken {
            // a code after which a client comes back: the person at it may have been slow, and Scaledrone's would not
            let code = error.code == .authenticationRequired ? .handshakeTimeout : error.code
            self.connection.goodbye(code, reason: "no token was shown in time: \(error.text)")
            return
        }
        guard let end = self.session.tokenEnd else { return }
        guard end <= self.shard.unixSeconds else { return self.watchToken() }
        self.session.tokenExpired()
        let seconds = TokenWatch.renewalTime.nanoseconds / 1_000_000_000
        self.connection.refuse(
            RequestError(
                .tokenExpired,
                "the token has expired; authenticate with a new one within \(seconds) seconds"
            )
        )
        self.lookAtToken(in: TokenWatch.renewalTime)
    }
}

/// The rooms of a member that has shown another token, as far as the token has not been asked about them.
struct RoomsToCheck {
    var rooms: ArraySlice<RoomName>
    /// The member as the rooms know it.
    let sender: Sender
}
