import RoomModel
import RoomTestKit

@testable import RoomCore

extension Session {
    /// The session of a client whose handshake was accepted.
    static func make(
        channel: RoomChannel = RoomChannel(settings: .make()),
        token: String? = nil,
        roomLimit: Int = 2,
        now: Int64 = 0
    ) -> Session {
        var handshake = Handshake(roomLimit: roomLimit)
        let action = handshake.received(
            HandshakeFrame(request: HandshakeRequest(channel: "test", token: token), callback: 1),
            channel: channel,
            newID: ClientID("ann"),
            now: now
        )
        guard case .welcome(_, let session) = action else { preconditionFailure("\(action)") }
        return session
    }
}
