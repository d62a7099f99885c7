package import RoomModel

/// All bans and mutes of one channel.
package struct SanctionTable: Equatable, Sendable {
    private var sanctions: [Sanction.Key: Sanction] = [:]
    /// The keys by the subjects that are looked up, and those that have to be tried one by one.
    private var bySubject: [SanctionSubject: Set<Sanction.Key>] = [:]
    private var ranges: Set<AddressRange> = []

    package init(_ sanctions: [Sanction] = []) {
        for sanction in sanctions { self.set(sanction) }
    }

    package var count: Int { self.sanctions.count }
    /// In no order.
    package var all: some Collection<Sanction> { self.sanctions.values }

    package subscript(key: Sanction.Key) -> Sanction? { self.sanctions[key] }

    /// Adds a sanction, or replaces the one of the same key.
    package mutating func set(_ sanction: Sanction) {
        self.sanctions[sanction.key] = sanction
        self.bySubject[sanction.key.subject, default: []].insert(sanction.key)
        if case .address(let range) = sanction.key.subject { self.ranges.insert(range) }
    }

    package mutating func remove(_ key: Sanction.Key) {
        guard self.sanctions.removeValue(forKey: key) != nil else { return }
        self.bySubject[key.subject]?.remove(key)
        guard self.bySubject[key.subject]?.isEmpty ?? false else { return }
        self.bySubject[key.subject] = nil
        if case .address(let range) = key.subject { self.ranges.remove(range) }
    }

    /// The sanctions that hold for this person now.
    ///
    /// - Parameter now: Unix milliseconds.
    package func standing(of person: SanctionedPerson, now: Int64) -> Standing {
        if self.sanctions.isEmpty { return Standing() }
        var subjects: [SanctionSubject] = []
        if let user = person.user { subjects.append(.user(user)) }
        if let client = person.client { subjects.append(.client(client)) }
        if let address = person.address {
            subjects += self.ranges.filter { $0.contains(address) }.map { .address($0) }
        }
        let keys = subjects.flatMap { self.bySubject[$0] ?? [] }
        return Standing(keys.compactMap { self.sanctions[$0] }.filter { $0.holds(at: now) })
    }
}
