package import RoomCore
package import RoomModel

extension Sanction {
    /// - Parameters:
    ///   - room: `nil`: the whole channel.
    ///   - seconds: after the time at which the clocks of tests begin.
    package static func imposed(
        _ kind: Kind = .ban,
        on subject: SanctionSubject,
        in room: String? = nil,
        reason: String? = nil,
        seconds: Int64? = nil
    ) -> Sanction {
        Sanction(
            key: Key(kind, of: subject, in: room.map { RoomName($0) }),
            reason: reason,
            author: "uid:0",
            created: ManualClock.start,
            expires: seconds.map { ManualClock.start + $0 * 1_000 }
        )
    }
}

extension RenameCommand {
    /// A rename of `ann`, to `Ann`.
    package static func make(data: String? = nil, author: Author = .client(ClientID("ann"))) -> RenameCommand {
        RenameCommand(
            origin: Origin(connection: .make(), callback: nil),
            sender: .make(data: data),
            name: "Ann",
            author: author
        )
    }
}

extension SanctionSubject {
    package static func client(_ text: String) -> SanctionSubject { .client(ClientID(text)) }

    /// - Parameter text: an address or a network.
    package static func network(_ text: String) -> SanctionSubject {
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is not an address range") }
        return .address(range)
    }
}

extension RoomRules {
    package static func make(
        locked: Bool = false,
        reason: String? = nil,
        slowMode: Int? = nil,
        members: Int? = nil
    ) -> RoomRules {
        var rules = RoomRules()
        rules.isLocked = locked
        rules.lockReason = reason
        rules.slowMode = slowMode
        rules.memberLimit = members
        return rules
    }
}
