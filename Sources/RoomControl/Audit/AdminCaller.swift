package import RoomCore
package import RoomModel

/// The caller who makes a change, for the audit log.
package struct AdminCaller: Equatable, Sendable {
    /// `uid:0` on the Unix socket, `token:NAME` with a token.
    package var actor: String
    /// `unix`, or an address.
    package var origin: String

    package init(actor: String, origin: String) {
        self.actor = actor
        self.origin = origin
    }

    /// - Parameters:
    ///   - time: Unix milliseconds.
    ///   - details: one JSON object without secrets.
    package func entry(_ action: AuditAction, _ target: String, _ details: String = "{}", time: Int64) -> AuditEntry {
        AuditEntry(
            time: time,
            actor: self.actor,
            origin: self.origin,
            action: action.rawValue,
            target: target,
            details: details
        )
    }
}
