import RoomCore
package import RoomModel
import RoomWire

/// The member that an act of a moderator concerns, as the audit log names it.
package struct AffectedMember: Equatable, Sendable {
    package var client: ClientID?
    /// The user that the `authData` names.
    package var user: String?
    /// The `name` in the `clientData`, cut to 64 scalars.
    package var name: String?

    package init(client: ClientID?, user: String?, name: String?) {
        self.client = client
        self.user = user
        self.name = name
    }

    init(_ sender: Sender) {
        let name = TextLineWriter.name(of: sender).map { String($0.unicodeScalars.prefix(64)) }
        self.init(client: sender.clientID, user: UserIdentity.of(sender), name: name)
    }
}
