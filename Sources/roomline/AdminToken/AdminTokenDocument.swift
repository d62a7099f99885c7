/// An admin token as the admin API shows it: `Token` in `Schemas/admin.openapi.yaml`.
struct AdminTokenDocument: AdminDocument, Decodable, Equatable, Sendable {
    let name: String
    let scopes: [String]
    let createdAt: String
    /// `nil`: never.
    let expiresAt: String?
    /// The token itself: only in the answer to its making.
    let token: String?
}
