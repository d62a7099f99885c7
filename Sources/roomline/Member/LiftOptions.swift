import ArgumentParser
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
    func lift(_ kind: Sanction.Kind, at broker: String, _ client: AdminClient, _ output: AdminOutput) async throws {
        let subject = try self.subject.required()
        var query = [(name: "kind", value: kind.rawValue)]
        if let room = self.place.room { query.append(("room", room)) }
        query.append(subject.field)
        let request = AdminRequest(.delete, self.place.path + ["sanctions"], query: query)
        let response = try await client.exchange(request)
        guard (200..<300).contains(response.status) else {
            throw try await self.failure(kind, subject, at: broker, client, refused: response, request)
        }
        if !output.isJSON {
            CommandFailure.say("the \(kind.rawValue) of \(subject.words) in \(self.place.words) is lifted")
        }
    }

    /// Why nothing was lifted; where the same subject has such a sanction in another place, that is what is told.
    private func failure(
        _ kind: Sanction.Kind,
        _ subject: NamedSubject,
        at broker: String,
        _ client: AdminClient,
        refused response: AdminResponse,
        _ request: AdminRequest
    ) async throws -> CommandFailure {
        guard let problem = try? response.decode(as: AdminProblem.self), problem.code == "sanction_not_found" else {
            return await client.failure(of: response, to: request)
        }
        let query = [(name: "kind", value: kind.rawValue), subject.field]
        let list = AdminRequest(.get, self.place.path + ["sanctions"], query: query)
        var others: [String] = []
        try await client.forEach("sanctions", of: list, limit: 3) { others.append(try AdminSanction(json: $0).options) }
        guard !others.isEmpty else { return await client.failure(of: response, to: request) }
        let place = ChannelOption.option(self.place.channel) + broker
        let hint = others.map { "\"roomline member un\(kind.rawValue) \($0)\(place)\"" }.joined(separator: " or ")
        return CommandFailure(code: .refused, text: "\(problem.detail); do you mean \(hint)?")
    }
}
