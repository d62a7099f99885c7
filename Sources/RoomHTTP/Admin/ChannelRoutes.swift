import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomJSON
import RoomModel

/// Channels and their secrets.
struct ChannelRoutes: AdminRoutes {
    let channels: ChannelRegistry
    let clock: @Sendable () -> Int64
    let random: @Sendable () -> String

    func add(to router: inout AdminRouter) {
        let one = "channels/:channel"
        router.on(.GET, "channels", scope: .read, query: ["after", "limit"], self.listChannels)
        router.on(.POST, "channels", scope: .manage, self.createChannel)
        router.on(.GET, one, scope: .read, self.showChannel)
        router.on(.PATCH, one, scope: .manage, self.changeChannel)
        router.on(.DELETE, one, scope: .manage, self.deleteChannel)
        router.on(.POST, "channels/:channel/secret", scope: .manage, self.rotateSecret)
    }

    @Sendable private func listChannels(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let (after, limit) = (try call.query.cursor("after"), try call.query.limit)
        let channels = await self.channels.channels.filter { channel in
            after.map { $0 < channel.settings.id.text } ?? true
        }
        let page = channels.prefix(limit)
        let next = page.count < channels.count ? page.last?.settings.id.text : nil
        return .page("channels", page.map { self.tree($0).bytes }, next: next)
    }

    @Sendable private func createChannel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        guard let body = try call.document() else { throw .noBody }
        let settings = try ChannelDocument.created(body)
        let secret = ChannelSecret(text: self.random())
        let channel = try await Problem.answering { () throws(ControlError) in
            try await self.channels.create(settings, secret: secret, by: call.caller, details: body.text)
        }
        guard case .object(let fields) = self.tree(channel) else { throw .noBody }
        return .document(
            .object(fields + [.init("secret", .string(secret.text))]),
            status: .created,
            version: channel.version,
            location: "\(AdminRouter.root)/channels/\(settings.id)"
        )
    }

    @Sendable private func showChannel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let id = try call.channel()
        return self.answer(
            try await Problem.answering { () throws(ControlError) in try await self.channels.channel(id) }
        )
    }

    @Sendable private func changeChannel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let (id, condition) = (try call.channel(), try call.condition())
        guard let patch = try call.document(types: AdmittedCall.patchTypes) else { throw .noBody }
        let result = try await Problem.answering { () throws(ControlError) in
            try await self.channels.change(id, if: condition, by: call.caller, details: patch.text) {
                settings throws(Problem) in
                try ChannelDocument.changed(settings, by: patch)
            }
        }
        return self.answer(try result.get())
    }

    @Sendable private func deleteChannel(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let (id, condition) = (try call.channel(), try call.condition())
        try await Problem.answering { () throws(ControlError) in
            try await self.channels.delete(id, if: condition, by: call.caller)
        }
        return .done
    }

    @Sendable private func rotateSecret(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let (id, condition) = (try call.channel(), try call.condition())
        let rotation: AdminRotation = try call.bodyIfAny() ?? AdminRotation(overlap: nil)
        let secret = ChannelSecret(text: self.random())
        let channel = try await Problem.answering { () throws(ControlError) in
            try await self.channels.rotate(
                id,
                to: secret,
                overlap: rotation.overlap ?? ChannelRegistry.overlap,
                if: condition,
                by: call.caller
            )
        }
        var document = AdminSecret(placeholder: ())
        (document.secret, document.version) = (secret.text, channel.version)
        document.previousSecrets = ChannelDocument.previousSecrets(channel.secrets, now: self.clock() / 1_000)
        return .document(document, version: channel.version)
    }

    private func answer(_ channel: StoredChannel) -> HTTPResponse {
        .document(self.tree(channel), version: channel.version)
    }

    private func tree(_ channel: StoredChannel) -> JSONTree {
        ChannelDocument.tree(channel, locked: self.channels.locked(channel.settings.id), now: self.clock() / 1_000)
    }
}
