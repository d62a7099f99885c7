import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// Acts of moderators on rooms and channels.
struct ModerationRoutes: AdminRoutes {
    let places: AdminPlaces
    let moderation: ModerationRegistry

    func add(to router: inout AdminRouter) {
        let channel = "channels/:channel"
        let room = "\(channel)/rooms/:room"
        let reason = ["reason"]
        router.on(.DELETE, "\(room)/members/:client_id", scope: .moderate, query: reason, self.kickFromRoom)
        router.on(.DELETE, "\(channel)/members/:client_id", scope: .moderate, query: reason, self.expel)
        router.on(.DELETE, "\(room)/messages/:target", scope: .moderate, query: reason, self.redact)
        router.on(.GET, "\(room)/messages/:target/author", scope: .read, self.showAuthor)
        router.on(.GET, "\(room)/rules", scope: .read, self.showRules)
        router.on(.PATCH, "\(room)/rules", scope: .moderate, self.changeRules)
        router.on(.POST, "\(room)/notices", scope: .moderate, self.notifyRoom)
        router.on(.POST, "\(channel)/notices", scope: .moderate, self.notifyChannel)
        router.on(.POST, "\(room)/clear", scope: .moderate, self.clear)
    }

    @Sendable private func kickFromRoom(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let client = ClientID(try call.name("client_id"))
        _ = try await Problem.answering { () throws(RequestError) in
            let act = RoomAct.kick(client, reason: call.query["reason"])
            return try await self.moderation.perform(act, in: room, by: Moderator(call.caller))
        }
        return .done
    }

    @Sendable private func expel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let client = ClientID(try call.name("client_id"))
        try await Problem.answering { () throws(RequestError) in
            let reason = call.query["reason"]
            try await self.moderation.expel(client, from: channel, reason: reason, by: Moderator(call.caller))
        }
        return .done
    }

    @Sendable private func redact(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let target = try Self.message(call.name("target"))
        let receipt = try await Problem.answering { () throws(RequestError) in
            let act = RoomAct.redact(target, reason: call.query["reason"])
            return try await self.moderation.perform(act, in: room, by: Moderator(call.caller))
        }
        return receipt.response
    }

    /// As moderators who are members ask for it.
    @Sendable private func showAuthor(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let target = try Self.message(call.name("target"))
        let receipt = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.perform(.show(authorOf: target), in: room, by: Moderator(call.caller))
        }
        guard case .shown(let state) = receipt, let author = state.author else {
            throw Problem(RequestError(.messageNotFound, "no member is known to have written such a message"))
        }
        return .document(AdminAuthor(user: author.user, clientId: author.client?.text))
    }

    private static func message(_ text: String) throws(Problem) -> MessageReference {
        if let id = UniqueID(text.utf8) { return .id(id) }
        let isNumber = text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        guard isNumber, let seq = UInt64(text), (1...UInt64(Int64.max)).contains(seq) else {
            throw .invalid("the message is \(text.shown): give the id of its stamp, or its seq")
        }
        return .seq(seq)
    }

    @Sendable private func showRules(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        return .document(AdminRules(await self.moderation.moderation(of: room.channel).rules(of: room.room)))
    }

    @Sendable private func changeRules(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let patch: AdminRulesPatch = try call.body(types: AdmittedCall.patchTypes)
        let rules = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.change(patch, of: room, by: Moderator(call.caller))
        }
        return .document(AdminRules(rules))
    }

    @Sendable private func notifyRoom(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let text = try call.body(NewAdminNotice.self).text
        let receipt = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.perform(.notice(Notice(text: text)), in: room, by: Moderator(call.caller))
        }
        return receipt.response
    }

    @Sendable private func notifyChannel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let text = try call.body(NewAdminNotice.self).text
        let receipt = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.notify(text, in: channel, by: Moderator(call.caller))
        }
        return receipt.response
    }

    @Sendable private func clear(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let room = try await self.places.room(of: call)
        let receipt = try await Problem.answering { () throws(RequestError) in
            try await self.moderation.perform(.clear, in: room, by: Moderator(call.caller))
        }
        return receipt.response
    }
}

extension ModerationReceipt {
    /// The answer, with the outcome where there is one.
    fileprivate var response: HTTPResponse {
        switch self {
        case .done, .redactedAll, .shown: return .document(JSONTree.object([]))
        case .redacted(let receipt):
            var redaction = AdminRedaction(placeholder: ())
            (redaction.seq, redaction.isDuplicate) = (receipt.seq, receipt.seq == nil)
            (redaction.targetSeq, redaction.targetId) = (receipt.targetSeq, "\(receipt.targetID)")
            return .document(redaction)
        case .notified(let count):
            var notified = NotifiedConnections(placeholder: ())
            notified.reached = count
            return .document(notified)
        case .cleared(let epoch):
            var cleared = ClearedRoom(placeholder: ())
            (cleared.epoch, cleared.seq) = ("\(epoch)", 0)
            return .document(cleared)
        }
    }
}
