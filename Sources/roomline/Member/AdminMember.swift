import NIOCore
import RoomClient

/// A member of a room as the admin API shows it: `Member` in `Schemas/admin.openapi.yaml`.
struct AdminMember: AdminDocument, Equatable, Sendable {
    struct Connection: Decodable, Equatable, Sendable {
        let address: String?
        let wireFormat: String
        let connectedAt: String
        let lag: Int
        let queuedBytes: Int
    }

    let id: String
    /// Who it is by its token; `nil` where none says.
    let user: String?
    let isMuted: Bool
    let clientData: JSON?
    let authData: JSON?
    /// `nil`: it is lost and can still come back.
    let connection: Connection?

    init(json: ByteBuffer) throws(CommandFailure) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.id = fields.id
        self.user = fields.user
        self.isMuted = fields.muted ?? false
        self.clientData = .field("client_data", of: json)
        self.authData = .field("auth_data", of: json)
        self.connection = fields.connection
    }

    private struct Fields: Decodable {
        let id: String
        let user: String?
        let muted: Bool?
        let connection: Connection?
    }

    var person: Person { Person(id: self.id, clientData: self.clientData) }
}
