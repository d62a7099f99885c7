package import RoomModel

/// The people that a change of a channel's bans and mutes can concern, so that not every connection has to be looked
/// at.
package struct SanctionChange: Equatable, Sendable {
    /// The clients of sanctions that are new, or have another end or reason.
    package private(set) var clients: Set<ClientID> = []
    private var users: Set<String> = []
    private var ranges: Set<AddressRange> = []
    /// A ban is among the new ones.
    package private(set) var bans = false
    /// Some hold no more: it concerns only those that any held for.
    package private(set) var lifts = false

    package init(from old: SanctionTable, to new: SanctionTable) {
        guard old != new else { return }
        for sanction in new.all where old[sanction.key] != sanction { self.add(sanction) }
        self.lifts = old.all.contains { new[$0.key] != $0 }
    }

    private mutating func add(_ sanction: Sanction) {
        if sanction.key.kind == .ban { self.bans = true }
        switch sanction.key.subject {
        case .user(let user): self.users.insert(user)
        case .client(let client): self.clients.insert(client)
        case .address(let range): self.ranges.insert(range)
        }
    }

    /// Whether people are concerned who cannot be found by their `client_id`.
    package var needsSearch: Bool { !self.users.isEmpty || !self.ranges.isEmpty }

    /// Whether what is new concerns this person.
    package func concerns(_ person: SanctionedPerson) -> Bool {
        if let client = person.client, self.clients.contains(client) { return true }
        if let user = person.user, self.users.contains(user) { return true }
        guard let address = person.address, !self.ranges.isEmpty else { return false }
        return self.ranges.contains { $0.contains(address) }
    }
}
