import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomMetrics
import RoomModel
import RoomWire

/// The past work of the broker: figures, the way of a message, the audit log.
struct BrokerRoutes: AdminRoutes {
    let places: AdminPlaces
    let rooms: any RoomAccess
    let nodes: AdminNodes
    let figures: FigureLog?
    let auditLog: AuditLog

    func add(to router: inout AdminRouter) {
        router.on(.GET, "figures", scope: .read, query: ["after"], self.showFigures)
        router.on(.GET, "trace/:message_id", scope: .read, query: ["channel", "room"], self.trace)
        let page = ["before", "limit", "action", "actor"]
        router.on(.GET, "audit", scope: .moderate, query: page, self.listAudit)
    }

    @Sendable private func showFigures(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let after = try call.query.number("after", in: 0...UInt64(Int64.max))
        let samples = await self.figures?.samples(after: after.map { Int64($0) }) ?? []
        var list = AdminFigureList(placeholder: ())
        list.samples = samples
        return .document(list)
    }

    @Sendable private func trace(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let text = try call.name("message_id")
        guard let id = UniqueID(text.utf8) else {
            throw .invalid("the message id is \(text.shown): give the id of a message's stamp, a UUID")
        }
        let (channel, room) = (try call.query.required("channel"), try call.query.required("room"))
        guard let channelID = ChannelID(channel) else { throw .unknownChannel(channel) }
        if let fault = RoomNameRule.fault(in: room, limit: self.places.limits.roomName) { throw Problem(fault) }
        let key = RoomKey(channel: try await self.places.channel(channelID), room: RoomName(room))
        do throws(RequestError) {
            if let trace = try await self.rooms.trace(id, in: key) {
                return .document(await self.nodes.whole(trace, of: id, in: key))
            }
        } catch {
            throw Problem(error)
        }
        throw Problem(
            .notFound,
            .unknownMessage,
            "the room \(room.shown) of the channel \(channel) has no message \(id), or not any more"
        )
    }

    @Sendable private func listAudit(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let place = try call.query.cursor("before")
        let before = place.flatMap { Int64($0) }
        guard (place == nil) == (before == nil) else {
            throw .invalid("before is not a value that next of an audit page had")
        }
        let limit = try call.query.limit
        let filter = AuditFilter(
            actor: try call.query.text("actor", of: 1...128),
            action: try call.query.text("action", of: 1...64),
            // Moderators see what is done in moderation, by all; the rest is for those who manage.
            actions: call.isManager() ? nil : AuditAction.moderation
        )
        let entries = try await Problem.answering { () throws(ControlError) in
            try await self.auditLog.entries(before: before, limit: limit + 1, matching: filter)
        }
        let page = entries.prefix(limit)
        let next = page.count < entries.count ? page.last.map { "\($0.id)" } : nil
        return .page("entries", page.map { AdminAuditEntry($0.entry) }, next: next)
    }
}

extension AdminAuditEntry {
    fileprivate init(_ entry: AuditEntry) {
        self.init(placeholder: ())
        self.time = AdminTime(milliseconds: entry.time)
        (self.actor, self.origin, self.action) = (entry.actor, entry.origin, entry.action)
        (self.target, self.detailsBytes) = (entry.target, ByteBuffer(string: entry.details))
    }
}
