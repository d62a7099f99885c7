/// The primary key of a batch's row: the room's id above 40 bits of its newest message's `seq`. So a log's batches lie
/// together, in order, and the batch that has a message is the first one at or after that message.
struct BatchRowID: Equatable {
    static let seqBits: Int64 = 40
    static let highestSeq: UInt64 = 1 << 40 - 1

    let rawValue: Int64

    init(room: Int64, seq: UInt64) {
        self.rawValue = room << Self.seqBits | Int64(min(seq, Self.highestSeq))
    }

    init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    var room: Int64 { self.rawValue >> Self.seqBits }

    var seq: UInt64 { UInt64(bitPattern: self.rawValue) & Self.highestSeq }
}
