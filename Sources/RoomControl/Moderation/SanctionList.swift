package import RoomCore
package import RoomModel

/// Which bans and mutes of a channel to show: those that hold and are as all that is not `nil` says.
package struct SanctionList {
    package enum Scope: Equatable {
        case channel
        case room(RoomName)
    }

    private let kind: Sanction.Kind?
    private let place: Scope?
    /// A single address is looked for in all ranges.
    private let subject: SanctionSubject?
    /// Behind this place in the order; `nil`: from the first.
    private let after: String?
    private let limit: Int

    package init(kind: Sanction.Kind?, place: Scope?, subject: SanctionSubject?, after: String?, limit: Int) {
        self.kind = kind
        self.place = place
        self.subject = subject
        self.after = after
        self.limit = limit
    }

    package struct Page {
        package var sanctions: [Sanction]
        package var total: Int
        /// `nil`: there are no more.
        package var next: String?
    }

    /// - Parameter now: Unix milliseconds.
    package func page(of table: SanctionTable, now: Int64) -> Page {
        let all = table.all.filter { $0.holds(at: now) && self.includes($0.key) }
            .map { (order: $0.key.order, sanction: $0) }
            .sorted { $0.order.utf8.lexicographicallyPrecedes($1.order.utf8) }
        let rest = all.drop { sanction in
            self.after.map { !$0.utf8.lexicographicallyPrecedes(sanction.order.utf8) } ?? false
        }
        let page = rest.prefix(self.limit)
        return Page(
            sanctions: page.map(\.sanction),
            total: all.count,
            next: page.count < rest.count ? page.last?.order : nil
        )
    }

    private func includes(_ key: Sanction.Key) -> Bool {
        if let kind, key.kind != kind { return false }
        switch self.place {
        case nil: break
        case .channel: if key.room != nil { return false }
        case .room(let room): if key.room != room { return false }
        }
        guard let subject, subject != key.subject else { return true }
        guard case (.address(let wanted), .address(let range)) = (subject, key.subject) else { return false }
        return range.holds(wanted)
    }
}

extension Sanction.Key {
    /// Bans before mutes, those of the whole channel before those of rooms. No name has the separator.
    fileprivate var order: String {
        [self.kind.rawValue, self.room?.text ?? "", self.subject.field, self.subject.text].joined(separator: "\0")
    }
}

extension AddressRange {
    /// Whether the other is one single address of this range.
    fileprivate func holds(_ other: AddressRange) -> Bool {
        IPAddress("\(other)").map { self.contains($0) } ?? false
    }
}
