/// The costs of a loop's work, in units of about a microsecond: counted from measured costs and not timed, so that a
/// run can be repeated.
package enum Work {
    /// The cost of a line before anything follows from it.
    package static func line(bytes: Int) -> Int { 1 + bytes / 256 }

    /// A command to a room, with what its owner has to do for it.
    package static let command = 5

    /// A subscribe to one room, with the batch and the place in the room that it makes there.
    static let join = 20

    /// A command for one of many rooms that a client leaves or tells of its data: each has a batch of its own.
    static let roomOfMany = 7

    /// To look at a token, beside the line that it comes in: its signature, and each of its patterns.
    static func token(bytes: Int) -> Int { 5 + bytes / 128 }

    /// A request that is refused, beside the bytes of the answer.
    static let refusal = 2

    /// One of the broker's own frames to one client.
    static func reply(bytes: Int) -> Int { 1 + bytes / 256 }

    /// To copy encoded bytes for one client, and to write them.
    static func copy(bytes: Int) -> Int { 1 + bytes / 2_048 }

    /// A write of encoded bytes to one socket.
    static func write(bytes: Int) -> Int { self.writes(1, bytes: bytes) }

    static func writes(_ count: Int, bytes: Int) -> Int { 6 * count + bytes / 8_192 }

    /// The work of a room's owner for a batch.
    static func batch(entries: Int, answers: Int, bytes: Int) -> Int { 12 + entries + 2 * answers + bytes / 1_024 }
}

/// How much one part of a turn may do before the loop looks at its sockets again: about half a millisecond.
struct WorkBudget {
    private var left = 500

    init() {}

    var isSpent: Bool { self.left <= 0 }

    mutating func spend(_ units: Int) {
        self.left -= units
    }

    /// The units that were spent of it since `earlier`.
    func spent(since earlier: WorkBudget) -> Int { earlier.left - self.left }
}
