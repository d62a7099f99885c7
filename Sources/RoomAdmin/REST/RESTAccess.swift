import Foundation
import HTTPTypes
import RoomCore
import RoomModel

/// What the caller of a channel may do there.
enum RESTAccess: Sendable {
    /// The channel is open, or the caller has its secret.
    case everything
    case granted(PermissionTable)

    /// `nil`: nothing is restricted.
    func permission(for room: RoomName) -> RoomPermission? {
        switch self {
        case .everything: nil
        case .granted(let table): table.permission(for: room)
        }
    }

    func mayRead(_ room: RoomName) -> Bool { self.permission(for: room)?.subscribe ?? true }

    /// - Parameter authorization: the headers of that name.
    /// - Throws: `RequestError` with `authentication_required`, `token_invalid`, `token_expired`.
    init(authorization: [String], channel: any RESTChannel, now: Int64) throws(RequestError) {
        guard let credentials = authorization.first else {
            guard channel.settings.authentication != .required else {
                throw RequestError(.authenticationRequired, "Unauthorized")
            }
            self = .everything
            return
        }
        guard authorization.count == 1, let space = credentials.firstIndex(of: " ") else { throw Self.unreadable }
        let value = credentials[space...].trimmingCharacters(in: .whitespaces)
        switch credentials[..<space].lowercased() {
        case "basic":
            guard let secret = Self.secret(value, of: channel.settings.id), channel.isSecret(secret, now: now) else {
                throw RequestError(.authenticationRequired, "Unauthorized: give the channel's id and its secret")
            }
            self = .everything
        case "bearer":
            let grant = try channel.grant(value, now: now)
            guard grant.clientID == nil else {
                throw RequestError(.tokenInvalid, "a token for REST is made without a \"client\" claim")
            }
            self = .granted(grant.permissions)
        default: throw Self.unreadable
        }
    }

    private static let unreadable = RequestError(
        .authenticationRequired,
        "Unauthorized: give one Authorization, \"Basic\" with channel:secret in base64, or \"Bearer\" with a token"
    )

    /// What stands behind the channel's id and the colon.
    private static func secret(_ base64: String, of channel: ChannelID) -> String? {
        guard let data = Data(base64Encoded: base64), let text = String(validating: data, as: UTF8.self) else {
            return nil
        }
        let prefix = channel.text + ":"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}
