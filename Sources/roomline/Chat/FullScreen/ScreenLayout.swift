/// How the screen is divided: rooms at the left, messages in the middle, members at the right, a row above them, and two below.
struct ScreenLayout: Equatable, Sendable {
    let columns: Int
    let rows: Int
    /// 0: there is no room for it.
    let roomColumns: Int
    /// 0: there is no room for it, or nobody to show.
    let memberColumns: Int
    let messageColumns: Int
    let messageRows: Int
    /// A message of several lines gets some more.
    let inputRows: Int
    let hasTitle: Bool
    let hasStatus: Bool

    private static let mostInputRows = 6

    /// - Parameters:
    ///   - hasMembers: whether the room tells who is in it.
    ///   - inputLines: how many lines are being typed.
    init(size: FullScreenChat.Size, hasMembers: Bool, inputLines: Int) {
        let columns = max(size.columns, 1)
        let rows = max(size.rows, 1)
        self.columns = columns
        self.rows = rows
        self.roomColumns =
            switch columns {
            case ..<80: 0
            case ..<110: 18  // the number of a room, and a name of 16
            case ..<150: 20
            default: 28
            }
        let forMembers =
            switch columns {
            case ..<70: 0
            case ..<110: 16
            case ..<150: 20
            default: 26
            }
        self.memberColumns = hasMembers ? forMembers : 0
        let sides = [self.roomColumns, self.memberColumns].filter { $0 > 0 }.map { $0 + 1 }.reduce(0, +)
        self.messageColumns = columns - sides
        self.hasStatus = rows >= 3
        self.hasTitle = rows >= 5
        self.inputRows = max(min(inputLines, rows / 3, Self.mostInputRows), 1)
        self.messageRows = max(rows - self.inputRows - (self.hasStatus ? 1 : 0) - (self.hasTitle ? 1 : 0), 0)
    }
}
