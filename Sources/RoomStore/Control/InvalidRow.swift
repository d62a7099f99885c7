/// A row of the control file that makes no sense. It is not guessed at: security never fails open.
struct InvalidRow: Error, CustomStringConvertible {
    let table: String
    let key: String
    let column: String

    var description: String { "'\(self.column)' of '\(self.key)' in the table \(self.table) is not valid" }
}
