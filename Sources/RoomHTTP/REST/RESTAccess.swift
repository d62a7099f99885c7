import Foundation
import RoomCore
import RoomModel

/// The rights of the caller of a channel.
enum RESTAccess: Sendable {
    /// The caller has the channel's secret: nothing is kept from it.
    case secret
    /// The channel is open, and the caller has shown nothing.
    case open(SanctionedPerson)
    case granted(PermissionTable, SanctionedPerson)

    /// `nil`: nothing is restricted.
    ///
    /// - Parameter work: is charged for it.
    func permission(for room: RoomName, charging work: RequestWork) -> RoomPermission? {
        switch self {
        case .secret, .open: return nil
        case .granted(let table, _):
            let answer = table.evaluate(room)
            work.add(answer.work)
            return answer.permission
        }
    }

    /// The person for whom bans, mutes and the rules of rooms are looked up; `nil`: they do not hold for the caller.
    var person: SanctionedPerson? {
        switch self {
        case .secret: nil
        case .open(let person), .granted(_, let person): person
        }
    }

    func mayRead(_ room: RoomName, charging work: RequestWork) -> Bool {
        self.permission(for: room, charging: work)?.subscribe ?? true
    }

    /// - Parameters:
    ///   - authorization: the headers of that name.
    ///   - address: the caller's; `nil` on a Unix socket.
    /// - Throws: `RequestError` with `authentication_required`, `token_invalid`, `token_expired`.
    init(
        authorization: [String],
        channel: RoomChannel,
        address: IPAddress?,
        now: Int64
    ) throws(RequestError) {
        guard let credentials = authorization.first else {
            guard channel.settings.authentication != .required else {
                throw RequestError(.authenticationRequired, "Unauthorized")
            }
            self = .open(SanctionedPerson(user: nil, client: nil, address: address))
            return
        }
        guard authorization.count == 1, let space = credentials.firstIndex(of: " ") else { throw Self.unreadable }
        let value = credentials[space...].trimmingCharacters(in: .whitespaces)
        switch credentials[..<space].lowercased() {
        case "basic":
            guard let secret = Self.secret(value, of: channel.settings.id), channel.tokens.isSecret(secret, now: now)
            else {
                throw RequestError(.authenticationRequired, "Unauthorized: give the channel's id and its secret")
            }
            self = .secret
        case "bearer":
            // a "client" claim names a connection, and a request has none: Scaledrone's examples put one in
            let grant = try channel.grant(value, now: now)
            self = .granted(
                grant.permissions,
                SanctionedPerson(user: grant.user, client: nil, address: address)
            )
        default: throw Self.unreadable
        }
    }

    private static let unreadable = RequestError(
        .authenticationRequired,
        "Unauthorized: give one Authorization, \"Basic\" with channel:secret in base64, or \"Bearer\" with a token"
    )

    /// The secret behind the channel's id and the colon.
    private static func secret(_ base64: String, of channel: ChannelID) -> String? {
        guard let data = Data(base64Encoded: base64), let text = String(validating: data, as: UTF8.self) else {
            return nil
        }
        let prefix = channel.text + ":"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}
