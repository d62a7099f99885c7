package import RoomModel

/// The one room that an event stream is for.
package struct EventStreamRoom: Equatable, Sendable {
    package let handshake: HandshakeRequest
    package let room: RoomName
    package let subscribe: SubscribeRequest

    package init(handshake: HandshakeRequest, room: RoomName, subscribe: SubscribeRequest) {
        self.handshake = handshake
        self.room = room
        self.subscribe = subscribe
    }
}
