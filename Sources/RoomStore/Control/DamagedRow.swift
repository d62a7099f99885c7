import RoomJSON

/// A row of the control file that is not what was written. What its key says may be damaged, too.
struct DamagedRow: CustomStringConvertible {
    let table: String
    let key: [(column: String, value: String)]

    var description: String {
        let key = self.key.map { "\($0.column) \($0.value.shown)" }.joined(separator: ", ")
        return "the row of the table \(self.table) with \(key)"
    }
}

extension [DamagedRow] {
    /// What is wrong with a file that has these rows; `nil`: nothing.
    var damage: String? {
        guard !self.isEmpty else { return nil }
        return "damaged: " + self.map(\.description).joined(separator: "; ")
    }
}
