package import RoomModel

/// All bans and mutes of one channel.
package struct SanctionTable: Equatable, Sendable {
    private var sanctions: [Sanction.Key: Sanction] = [:]
    private var bySubject: [SanctionSubject: Set<Sanction.Key>] = [:]
    /// How many ranges of each prefix are subjects: an address is looked up once for each prefix, however many ranges
    /// there are.
    private var prefixes: [Int: Int] = [:]

    package init(_ sanctions: [Sanction] = []) {
        for sanction in sanctions { self.set(sanction) }
    }

    package var count: Int { self.sanctions.count }
    /// In no order.
    package var all: some Collection<Sanction> { self.sanctions.values }

    package subscript(key: Sanction.Key) -> Sanction? { self.sanctions[key] }

    /// Adds a sanction, or replaces the one of the same key.
    package mutating func set(_ sanction: Sanction) {
        let subject = sanction.key.subject
        self.sanctions[sanction.key] = sanction
        if case .address(let range) = subject, self.bySubject[subject] == nil {
            self.prefixes[range.prefix, default: 0] += 1
        }
        self.bySubject[subject, default: []].insert(sanction.key)
    }

    package mutating func remove(_ key: Sanction.Key) {
        guard self.sanctions.removeValue(forKey: key) != nil else { return }
        self.bySubject[key.subject]?.remove(key)
        guard self.bySubject[key.subject]?.isEmpty ?? false else { return }
        self.bySubject[key.subject] = nil
        guard case .address(let range) = key.subject, let count = self.prefixes[range.prefix] else { return }
        self.prefixes[range.prefix] = count > 1 ? count - 1 : nil
    }

    /// The sanctions that hold for this person now.
    ///
    /// - Parameter now: Unix milliseconds.
    package func activeSanctions(of person: SanctionedPerson, now: Int64) -> ActiveSanctions {
        if self.sanctions.isEmpty { return ActiveSanctions() }
        var subjects: [SanctionSubject] = []
        if let user = person.user { subjects.append(.user(user)) }
        if let client = person.client { subjects.append(.client(client)) }
        if let address = person.address {
            subjects += self.prefixes.keys.compactMap { AddressRange(around: address, prefix: $0).map { .address($0) } }
        }
        let keys = subjects.flatMap { self.bySubject[$0] ?? [] }
        return ActiveSanctions(keys.compactMap { self.sanctions[$0] }.filter { $0.holds(at: now) })
    }
}
