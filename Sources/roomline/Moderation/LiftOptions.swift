import ArgumentParser
import RoomModel

/// What `member unban` and `member unmute` take, and what both do with it.
struct LiftOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @OptionGroup
    var place: PlaceOptions

    func validate() throws {
        _ = try self.subject.required()
    }

    func lift(_ kind: Sanction.Kind, _ client: AdminClient, _ output: AdminOutput) async throws {
        let subject = try self.subject.required()
        var query = [(name: "kind", value: kind.rawValue)]
        if let room = self.place.room { query.append(("room", room)) }
        query.append(subject.field)
        let request = AdminRequest(.delete, self.place.path + ["sanctions"], query: query)
        let response = try await client.exchange(request)
        guard response.status == 404 else {
            guard (200..<300).contains(response.status) else { throw await client.failure(of: response, to: request) }
            if !output.isJSON {
                CommandFailure.say("the \(kind.rawValue) of \(subject.words) in \(self.place.words) is lifted")
            }
            return
        }
        let failure = await client.failure(of: response, to: request)
        guard let elsewhere = try await self.elsewhere(kind, subject, client) else { throw failure }
        throw CommandFailure(code: .refused, text: "\(failure.text); \(elsewhere)")
    }

    /// Where the same subject has such a sanction, when it has none here.
    private func elsewhere(
        _ kind: Sanction.Kind,
        _ subject: NamedSubject,
        _ client: AdminClient
    ) async throws -> String? {
        let query = [(name: "kind", value: kind.rawValue), subject.field]
        let request = AdminRequest(.get, self.place.path + ["sanctions"], query: query)
        var places: [String] = []
        // A channel that there is not has none either, and that has been said.
        guard try await client.exchange(request).status == 200 else { return nil }
        try await client.forEach("sanctions", of: request, limit: 10) { json in
            let room = try AdminSanction(json: json).room
            places.append(room.map { "--room \($0.shellQuoted)" } ?? "the whole channel (no --room)")
        }
        return places.isEmpty ? nil : "there is one for \(places.joined(separator: " and "))"
    }
}
