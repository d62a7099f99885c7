import RoomJSON
import RoomModel

/// The claims of a token, before it is signed.
struct TokenDraft: Sendable {
    var channel: ChannelID
    /// The only client id that may use it; `nil`: any.
    var client: String?
    /// Unix seconds.
    var issued: Int64
    var expires: Int64
    /// The data about its member; a JSON value.
    var data: JSONTree?
    var allowed: [PermissionArgument]
    var denied: [PermissionArgument]

    /// The JSON of the claims.
    ///
    /// - Throws: where one pattern allows and denies the same.
    func payload() throws(CommandFailure) -> String {
        var fields: [JSONTree.Field] = [.init("channel", .string(self.channel.text))]
        if let client { fields.append(.init("client", .string(client))) }
        fields.append(.init("iat", .integer(self.issued)))
        fields.append(.init("exp", .integer(self.expires)))
        if let data { fields.append(.init("data", data)) }
        fields.append(.init("permissions", try self.permissions()))
        return JSONTree.object(fields).text
    }

    /// An entry a pattern: JSON has each name once.
    private func permissions() throws(CommandFailure) -> JSONTree {
        var rules: [JSONTree.Field] = []
        let parts = self.allowed.map { ($0, true) } + self.denied.map { ($0, false) }
        for (part, isGranted) in parts {
            let index = rules.firstIndex { $0.name == part.pattern } ?? rules.endIndex
            if index == rules.endIndex { rules.append(.init(part.pattern, .object([]))) }
            guard case .object(var fields) = rules[index].value else { continue }
            for field in part.fields(isGranted: isGranted) {
                if fields.contains(where: { $0.name == field.name }) {
                    throw CommandFailure(
                        code: .usage,
                        text: "\(field.name) is given twice for the pattern \(part.pattern): say it once"
                    )
                }
                fields.append(field)
            }
            rules[index].value = .object(fields)
        }
        return .object(rules)
    }
}
