import ArgumentParser
import RoomAdmin
import RoomModel

/// Options of `member unban` and `member unmute`, and the work that both do with them.
struct LiftOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @OptionGroup
    var place: PlaceOptions

    func validate() throws {
        _ = try self.subject.required()
    }

    /// - Parameter broker: the options that name it in another command.
    func lift(_ kind: AdminSanction.Kind, at broker: String, _ client: AdminSession, _ output: AdminOutput) async throws
    {
        let subject = try self.subject.required()
        let call = AdminCall.lift(kind, of: subject.asked, in: self.place.channel, room: self.place.room)
        let response = try await client.exchange(call.request)
        guard response.isSuccess else {
            throw try await self.failure(kind, subject, at: broker, client, refused: response, call.request)
        }
        if !output.isJSON {
            CommandFailure.say("the \(kind.rawValue) of \(subject.words) in \(self.place.words) is lifted")
        }
    }

    /// Why nothing was lifted; where the same subject has such a sanction in another place, that is what is told.
    private func failure(
        _ kind: AdminSanction.Kind,
        _ subject: NamedSubject,
        at broker: String,
        _ client: AdminSession,
        refused response: AdminResponse,
        _ request: AdminRequest
    ) async throws -> CommandFailure {
        let refusal = AdminError(refusal: response, of: client.address)
        guard refusal.code == .sanctionNotFound else { return await client.failure(refusal, of: request) }
        var others: [String] = []
        for meant in [subject] + subject.alternatives {
            let list = AdminList.sanctions(of: self.place.channel, kind: kind, subject: meant.asked)
            try await client.forEach(list, limit: 3) { others.append(try AdminSanction(json: $0).options) }
        }
        guard !others.isEmpty else { return await client.failure(refusal, of: request) }
        let place = ChannelOption.option(self.place.channel) + broker
        let hint = others.map { "\"roomline member un\(kind.rawValue) \($0)\(place)\"" }.joined(separator: " or ")
        return CommandFailure(code: .refused, text: "\(refusal.message); do you mean \(hint)?")
    }
}
