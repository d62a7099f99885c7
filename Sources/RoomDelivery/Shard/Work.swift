/// The costs of a loop's work, in units of about a microsecond: counted from measured costs and not timed, so that a
/// run can be repeated.
package enum Work {
    /// The cost of a line before anything follows from it.
    package static func line(bytes: Int) -> Int { 1 + bytes / 256 }

    /// A command to a room, with what its owner has to do for it.
    package static let command = 5

    /// The same for one of many rooms that a client leaves or tells of its data: each has a batch of its own.
    static let roomOfMany = 7

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
package struct WorkBudget {
    private var left = 500

    package init() {}

    package var isSpent: Bool { self.left <= 0 }

    package mutating func spend(_ units: Int) {
        self.left -= units
    }

    /// The units that were spent of it since `earlier`.
    func spent(since earlier: WorkBudget) -> Int { earlier.left - self.left }
}
