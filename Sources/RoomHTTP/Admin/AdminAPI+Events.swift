import HTTPTypes
import Hummingbird
import RoomCore
import RoomDelivery

extension AdminAPI {
    func addEvents(to group: RouterGroup<HTTPRequestContext>) {
        self.on(.get, "events", in: group, scope: .read, self.followEvents)
    }

    @Sendable private func followEvents(_ call: AdminCall) async throws(Problem) -> Response {
        var place: (after: UInt64?, isOfThisProcess: Bool) = (nil, true)
        if let name = HTTPField.Name("Last-Event-ID"), let text = call.headers[name] {
            place = try EventDocument.place(text, in: self.events.epoch)
        }
        let (events, isIncomplete) = self.events.watch(after: place.after)
        let feed = EventFeed(
            events: events,
            epoch: self.events.epoch,
            isIncomplete: isIncomplete || !place.isOfThisProcess,
            heartbeat: self.heartbeat,
            drain: call.drain
        )
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in try await feed.write(to: &writer) }
        )
    }
}
