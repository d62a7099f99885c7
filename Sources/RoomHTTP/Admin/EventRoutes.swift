import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel
import RoomWire

/// Streams of events.
struct EventRoutes: AdminRoutes {
    let places: AdminPlaces
    let rooms: any RoomAccess
    let events: EventHub
    let heartbeat: Duration

    func add(to router: inout AdminRouter) {
        router.on(.GET, "events", scope: .read, self.followEvents)
        router.on(.GET, "channels/:channel/rooms/:room/events", scope: .read, self.followRoom)
    }

    @Sendable private func followEvents(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        var place: (after: UInt64?, isOfThisProcess: Bool) = (nil, true)
        if let text = call.lastEventID { place = try EventDocument.place(text, in: self.events.epoch) }
        let (events, isIncomplete) = self.events.watch(after: place.after)
        let hasGap = isIncomplete || !place.isOfThisProcess
        return self.stream(
            events.map { [epoch = self.events.epoch] in EventDocument.text($0, of: epoch) },
            opening: EventDocument.opening(hasGap: hasGap),
            ending: EventDocument.overflow,
            call
        )
    }

    @Sendable private func followRoom(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let position = try call.lastEventID.map { text throws(Problem) in
            guard let position = Position(eventID: text) else {
                throw .invalid("Last-Event-ID is \(text.shown): give EPOCH:SEQ, as 5f3c9a1e7b240d86:42")
            }
            return position
        }
        // before the answer: a reader that has got its headers misses nothing
        guard let parts = await self.rooms.follow(key, after: position, for: call.caller.actor) else {
            throw .unknownChannel(key.channel.text)
        }
        return self.stream(
            parts.map { EventDocument.text($0) },
            opening: EventDocument.opening(hasGap: false),
            ending: ByteBuffer(),
            call
        )
    }

    private func stream<Events: AsyncSequence & Sendable>(
        _ events: Events,
        opening: ByteBuffer,
        ending: ByteBuffer,
        _ call: AdmittedCall
    ) -> HTTPResponse where Events.Element == ByteBuffer, Events.Failure == Never {
        let feed = EventFeed(
            opening: opening,
            events: events,
            ending: ending,
            heartbeat: self.heartbeat,
            isAllowed: call.isStillAllowed,
            drain: call.drain
        )
        return HTTPResponse(
            status: .ok,
            headers: ["Content-Type": "text/event-stream"],
            body: .stream { write in try await feed.write(by: write) }
        )
    }
}

extension AdmittedCall {
    fileprivate var lastEventID: String? { self.headers[field: "Last-Event-ID"] }
}
