/// A ban or a mute as the admin API shows it: `Sanction` in `Schemas/admin.openapi.yaml`.
struct AdminSanction: AdminDocument, Decodable, Equatable, Sendable {
    let kind: String
    /// `nil`: the whole channel.
    let room: String?
    /// One of these three is there.
    let user: String?
    let clientId: String?
    let address: String?
    let reason: String?
    let author: String
    let created: String
    /// `nil`: until it is lifted.
    let expires: String?

    /// As the command line takes what it is for, and where: `--user luke --room lobby`
    var options: String {
        let subject = self.clientId.map { $0.shellQuoted } ?? "--\(self.subject.kind) \(self.subject.name.shellQuoted)"
        return subject + (self.room.map { " --room \($0.shellQuoted)" } ?? "")
    }

    /// Who it is for, where it is for one of this field.
    func name(of field: String) -> String? {
        switch field {
        case "user": self.user
        case "client_id": self.clientId
        default: self.address
        }
    }

    /// What it is for, and by which kind of name.
    var subject: (kind: String, name: String) {
        if let user { return ("user", user) }
        if let clientId { return ("client", clientId) }
        return ("address", self.address ?? "?")
    }
}
