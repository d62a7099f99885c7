/// Which of a log's newest entries are redactions: they have a `seq`, but are no messages for who asks for so many of the
/// newest ones.
package struct RedactionIndex: Equatable, Sendable {
    /// Nothing is known of the entries up to this `seq`; 0: all redactions of the log are known.
    package private(set) var unknownThrough: UInt64
    /// The `seq` of each, ascending.
    package private(set) var seqs: [UInt64]

    /// More are forgotten, the oldest first.
    static let capacity = 1_000

    package init(unknownThrough: UInt64 = 0, seqs: [UInt64] = []) {
        self.unknownThrough = unknownThrough
        self.seqs = seqs
        self.forgetOldest()
    }

    /// The newest redaction; 0: none is known.
    var newest: UInt64 { self.seqs.last ?? self.unknownThrough }

    /// A redaction has become the log's newest entry.
    mutating func insert(_ seq: UInt64) {
        self.seqs.append(seq)
        self.forgetOldest()
    }

    private mutating func forgetOldest() {
        guard self.seqs.count > Self.capacity else { return }
        let forgotten = self.seqs.count - Self.capacity
        self.unknownThrough = self.seqs[forgotten - 1]
        self.seqs.removeFirst(forgotten)
    }

    /// Behind which entry the newest `count` messages up to `through` begin, as far as is known here.
    func start(of count: UInt64, through: UInt64) -> UInt64 {
        var (start, missing) = (through, count)
        for seq in self.seqs.reversed() where seq <= through {
            let messages = start - seq
            if messages >= missing { break }
            missing -= messages
            start = seq - 1
        }
        return max(self.unknownThrough, start - min(start, missing))
    }

    /// The redactions in a range, ascending.
    func seqs(after seq: UInt64, through: UInt64) -> [UInt64] {
        self.seqs.filter { $0 > seq && $0 <= through }
    }
}
