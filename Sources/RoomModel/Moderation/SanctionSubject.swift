/// Whom a ban or a mute is for. Never told by `client_data`, which a member can change.
///
/// Names are compared byte by byte, as the control file does: Swift takes "é" composed for "é" decomposed.
package enum SanctionSubject: Hashable, Sendable {
    /// Who the member is by its token (`UserIdentity`), on whatever connection.
    case user(String)
    /// One `client_id`: a member that connects anew without resuming has another.
    case client(ClientID)
    case address(AddressRange)

    /// The most bytes that a user's identity can have here.
    package static let longestUser = 200
}

extension SanctionSubject {
    package static func == (left: SanctionSubject, right: SanctionSubject) -> Bool {
        switch (left, right) {
        case (.user(let left), .user(let right)): left.utf8.elementsEqual(right.utf8)
        case (.client(let left), .client(let right)): left.text.utf8.elementsEqual(right.text.utf8)
        case (.address(let left), .address(let right)): left == right
        case (.user, _), (.client, _), (.address, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .user(let user): Self.hash(user, into: &hasher)
        case .client(let client): Self.hash(client.text, into: &hasher)
        case .address(let range): hasher.combine(range)
        }
    }

    private static func hash(_ text: String, into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
