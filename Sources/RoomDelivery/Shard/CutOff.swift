import NIOCore

/// Decides about the clients of a node that may not know what the others have agreed on: what they ask waits, and when that lasts, they
/// are sent to another node. Pure.
struct CutOff {
    enum Step: Equatable {
        case nothing
        /// These connections go on.
        case goOn([UInt64])
        /// All connections are to go, and whoever comes.
        case sendAway
    }

    /// Between two looks.
    static let interval = TimeAmount.milliseconds(250)
    /// So many looks in a row clients wait. Looks are counted, and not time: a machine that was paused finds its proof old, and is a moment
    /// later where it was.
    static let patience = 20

    /// The connections of which something waits.
    private var waiting: Set<UInt64> = []
    /// How many looks in a row there was no proof.
    private var looks = 0

    /// Clients are sent to another node.
    var isComplete: Bool { self.looks >= Self.patience }

    mutating func waits(_ connection: UInt64) { self.waiting.insert(connection) }

    func hasWaiting(_ connection: UInt64) -> Bool { self.waiting.contains(connection) }

    mutating func look(isProven: Bool) -> Step {
        guard !isProven else {
            self.looks = 0
            defer { self.waiting = [] }
            return self.waiting.isEmpty ? .nothing : .goOn(self.waiting.sorted())
        }
        self.looks += 1
        guard self.isComplete else { return .nothing }
        self.waiting = []
        return .sendAway
    }
}
