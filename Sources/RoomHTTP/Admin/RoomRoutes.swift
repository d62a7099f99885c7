import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// Rooms, their members and their messages.
struct RoomRoutes: AdminRoutes {
    let places: AdminPlaces
    let rooms: any RoomAccess
    let moderation: ModerationRegistry
    let nodes: AdminNodes
    let auditLog: AuditLog
    let clock: @Sendable () -> Int64

    func add(to router: inout AdminRouter) {
        let page = ["after", "limit"]
        let room = "channels/:channel/rooms/:room"
        let list = page + ["prefix", "order"]
        router.on(.GET, "channels/:channel/rooms", scope: .read, query: list, self.listRooms)
        router.on(.GET, room, scope: .read, self.showRoom)
        router.on(.GET, "\(room)/members", scope: .read, query: page, self.listMembers)
        router.on(.GET, "\(room)/members/:client_id", scope: .read, self.showMember)
        let range = ["before_seq", "after_seq", "limit"]
        router.on(.GET, "\(room)/history", scope: .read, query: range, self.showHistory)
        router.on(.POST, "\(room)/messages", scope: .moderate, self.publish)
    }

    @Sendable private func listRooms(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        if try call.query.choice("order", of: RoomOrder.self) == .activity {
            return try await self.listBusiest(call, channel)
        }
        let query = RoomQuery(
            prefix: try call.query["prefix"].map { prefix throws(Problem) in
                try call.query.text("prefix", of: 0...self.places.limits.roomName) ?? prefix
            } ?? "",
            after: try call.query.cursor("after").map { RoomName($0) },
            limit: try call.query.limit
        )
        return await self.document(self.rooms.rooms(in: channel, query), channel)
    }

    private enum RoomOrder: String, CaseIterable {
        case name, activity
    }

    private func listBusiest(_ call: AdmittedCall, _ channel: ChannelID) async throws(Problem) -> HTTPResponse {
        guard call.query["after"] == nil, call.query["prefix"] == nil else {
            throw .invalid("rooms by activity have one page, of all names: give neither after nor prefix")
        }
        let rooms = await self.rooms.busiestRooms(in: channel, naming: try call.query.limit)
        let total = await self.rooms.rooms(in: channel, RoomQuery(limit: 1)).total
        return await self.document(RoomPage(rooms: rooms, hasMore: false, total: total), channel)
    }

    private func document(_ page: RoomPage, _ channel: ChannelID) async -> HTTPResponse {
        let moderation = await self.moderation.moderation(of: channel)
        let rooms = page.rooms.map { room in
            var room = room
            let rules = moderation.rules(of: RoomName(room.name))
            room.rules = rules.isEmpty ? nil : AdminRules(rules)
            return room
        }
        let next = page.hasMore ? page.rooms.last?.name : nil
        return .page("rooms", rooms, total: page.total, next: next)
    }

    @Sendable private func showRoom(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let rules = await self.moderation.moderation(of: key.channel).rules(of: key.room)
        guard var room = try await self.detail(of: key, hasRules: !rules.isEmpty, for: call.caller.actor) else {
            throw Problem(
                .notFound,
                .unknownRoom,
                "there is no room \(key.room.text.shown) in the channel \(key.channel)"
            )
        }
        room.rules = AdminRules(rules)
        return .document(room)
    }

    /// - Returns: `nil` for a room that has neither messages nor rules, and has had no members lately, also where somebody has
    ///   asked for it.
    private func detail(of key: RoomKey, hasRules: Bool, for actor: String) async throws(Problem) -> AdminRoom? {
        if let room = await self.rooms.room(key), room.hasHadMembers || room.seq > 0 { return room }
        do throws(RequestError) {
            // The log is opened for this, so that the room knows of its messages.
            let newest = HistoryRequest(room: key.room, anchor: .newest, limit: 1)
            guard try await self.rooms.history(of: key, newest, for: actor).seq > 0 || hasRules else { return nil }
        } catch {
            guard hasRules || error.code == .historyOff else { throw Problem(error) }
            guard hasRules else { return nil }
        }
        return await self.rooms.room(key)
    }

    @Sendable private func listMembers(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let query = MemberQuery(after: try call.query.cursor("after"), limit: try call.query.limit)
        let page = await self.rooms.members(of: key, query)
        let members = await self.nodes.whole(page.members, in: key)
        let next = page.hasMore ? page.members.last?.id : nil
        return .page("members", members, total: page.total, next: next)
    }

    @Sendable private func showMember(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let id = try call.name("client_id")
        guard let member = await self.rooms.member(ClientID(id), of: key) else {
            throw Problem(
                .notFound,
                .unknownMember,
                "there is no member \(id.shown) in the room \(key.room.text.shown)"
            )
        }
        return .document(await self.nodes.whole([member], in: key)[0])
    }

    @Sendable private func showHistory(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let request = HistoryRequest(room: key.room, anchor: try self.anchor(call.query), limit: try call.query.limit)
        do throws(RequestError) {
            let answer = try await self.rooms.history(of: key, request, for: call.caller.actor)
            var page = AdminHistoryPage(placeholder: ())
            (page.entries, page.hasMore, page.lost) = (answer.frames, answer.hasMore, answer.lost)
            (page.epoch, page.seq) = ("\(answer.epoch)", answer.seq)
            return .document(page)
        } catch {
            throw Problem(error)
        }
    }

    private func anchor(_ query: AdminQuery) throws(Problem) -> HistoryRequest.Anchor {
        let bounds: ClosedRange<UInt64> = 0...UInt64(Int64.max)
        switch (try query.number("before_seq", in: bounds), try query.number("after_seq", in: bounds)) {
        case (nil, nil): return .newest
        case (let before?, nil): return .before(before)
        case (nil, let after?): return .after(after)
        case (_?, _?): throw .invalid("before_seq and after_seq are both given: give one of them")
        }
    }

    @Sendable private func publish(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let key = try await self.places.room(of: call)
        let id = try call.headers.idempotencyKey()
        let message = try call.message(limits: self.places.limits)
        let receipt: ExternalPublishReceipt
        do throws(RequestError) {
            let publisher = ExternalPublisher(.admin(call.caller.actor))
            receipt = try await self.rooms.publish(message, to: key, by: publisher, messageID: id)
            call.work.add(receipt.caused)
        } catch {
            call.work.add(Work.command)
            throw Problem(error)
        }
        if !receipt.isDuplicate {
            let entry = call.caller.entry(.publish, "\(key)", "{\"id\":\"\(receipt.id)\"}", time: self.clock())
            await self.auditLog.append(entry)
        }
        return .document(AdminReceipt(receipt))
    }
}
