package import NIOCore
package import RoomModel

/// The identity of a connection, from its handshake on.
package struct Identity: Sendable {
    package let channel: RoomChannel
    package let clientID: ClientID
    package let clientData: ByteBuffer?
    /// The `data` of the token that was shown last.
    package let authData: ByteBuffer?
    /// The user that `authData` names.
    package let user: String?
    package let sender: Sender
    package let author: Author
    private let address: IPAddress?

    /// - Parameter address: where the connection comes from; `nil`: from this machine.
    init(
        channel: RoomChannel,
        clientID: ClientID,
        clientData: ByteBuffer?,
        authData: ByteBuffer? = nil,
        user: String? = nil,
        address: IPAddress? = nil
    ) {
        self.channel = channel
        self.clientID = clientID
        self.clientData = clientData
        self.authData = authData
        self.user = user
        self.sender = .member(clientID, clientData: clientData, authData: authData)
        self.author = Author(SanctionedPerson(user: user, client: clientID, address: address))
        self.address = address
    }

    private init(_ other: Identity, channel: RoomChannel) {
        self.channel = channel
        self.clientID = other.clientID
        self.clientData = other.clientData
        self.authData = other.authData
        self.user = other.user
        self.sender = other.sender
        self.author = other.author
        self.address = other.address
    }

    func with(channel: RoomChannel) -> Identity { Identity(self, channel: channel) }

    func with(clientData: ByteBuffer) -> Identity {
        Identity(
            channel: self.channel,
            clientID: self.clientID,
            clientData: clientData,
            authData: self.authData,
            user: self.user,
            address: self.address
        )
    }

    func with(_ grant: TokenGrant) -> Identity {
        guard grant.authData != self.authData else { return self }
        return Identity(
            channel: self.channel,
            clientID: self.clientID,
            clientData: self.clientData,
            authData: grant.authData,
            user: grant.user,
            address: self.address
        )
    }
}

/// A handshake with its callback.
package struct HandshakeFrame: Equatable, Sendable {
    package let request: HandshakeRequest
    package let callback: Int64?

    package init(request: HandshakeRequest, callback: Int64?) {
        self.request = request
        self.callback = callback
    }
}

/// The answer to a handshake that was accepted.
package struct Welcome: Equatable {
    package let callback: Int64?
    package let clientID: ClientID
    package let isResumable: Bool
    /// `nil` where the client did not ask to resume.
    package let resumed: Bool?
    /// Seconds between pings, where asked for.
    package let heartbeat: Int?
    /// Nothing but `authenticate` is answered before a token is shown.
    package let requiresAuthentication: Bool
    /// Rooms of the resumed session that are left once the grace period is over, unless subscribed again.
    package let lingeringRooms: [RoomName]
}

/// The part of a session that is kept when its connection is gone, until it is resumed or its grace period is over.
package struct ResumedSession: Equatable, Sendable {
    package let channel: ChannelID
    package let clientID: ClientID
    package let clientData: ByteBuffer?
    /// The user that its token named, and where its connection came from: bans go by them.
    package let user: String?
    package let address: IPAddress?
    /// The messages that the member may still publish under its rate.
    package let publishes: TokenBucket?
    /// How often the session was resumed before.
    package let resumes: UInt32
    package let rooms: [RoomName]

    package init(
        channel: ChannelID,
        clientID: ClientID,
        clientData: ByteBuffer?,
        user: String? = nil,
        address: IPAddress? = nil,
        publishes: TokenBucket? = nil,
        resumes: UInt32 = 0,
        rooms: [RoomName]
    ) {
        self.channel = channel
        self.clientID = clientID
        self.clientData = clientData
        self.user = user
        self.address = address
        self.publishes = publishes
        self.resumes = resumes
        self.rooms = rooms
    }
}

extension ResumedSession {
    package var person: SanctionedPerson {
        SanctionedPerson(user: self.user, client: self.clientID, address: self.address)
    }
}

/// One subscribe frame after the session's own checks: each room is to be joined, or refused already.
package struct JoinPlan: Equatable, Sendable {
    package let callback: Int64?
    package let isMany: Bool
    package let rooms: [Result<RoomName, RequestError>]
    package let request: SubscribeRequest
}

extension RequestError {
    /// The same error as the answer to the request with this callback.
    package func answering(_ callback: Int64?) -> RequestError {
        var error = self
        error.callback = callback
        return error
    }

    /// The same error with the name of its room.
    package func about(_ room: RoomName) -> RequestError {
        var error = self
        error.room = room
        return error
    }

    /// The same error as the answer to a publish: without a callback it has to name the message.
    package func answering(
        _ callback: Int64?,
        aboutPublishTo room: RoomName,
        _ messageID: UniqueID?
    ) -> RequestError {
        var error = self.answering(callback)
        if callback == nil {
            error.room = room
            error.messageID = messageID
        }
        return error
    }
}
