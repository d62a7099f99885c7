package import RoomModel

/// What clients may use of the broker. A limit that is lifted (`unlimited`) is `Int.max`.
package struct Limits: Equatable, Sendable {
    package var frames = FrameLimits()
    package var connections = ConnectionLimits()
    package var rooms = RoomLimits()
    package var delivery = DeliveryLimits()

    package init() {}
}

/// How many connections there may be, counted when one is accepted, and what ends one.
package struct ConnectionLimits: Equatable, Sendable {
    package var total = Int.max
    /// From one IP address; loopback is exempt.
    package var perAddress = 1_000
    /// New ones a second from one IP address, after ten times as many at once; loopback is exempt.
    package var rate = 100
    /// Connections that have not said anything yet.
    package var silent = 10_000
    /// Lines a second of one connection that cannot be read, after ten times as many at once.
    package var badFrameRate = 10

    package init() {}
}

/// How far rooms may grow, and what one answer about a room may list.
package struct RoomLimits: Equatable, Sendable {
    package var perConnection = 1_000
    package var perChannel = 100_000
    /// Above it, `observable_members` gives the count only.
    package var membersListed = 1_000
    /// Messages in one `history` reply.
    package var historyLimit = 1_000

    package init() {}
}

/// What delivery may hold in memory, and how fast clients may publish. Sizes in bytes.
package struct DeliveryLimits: Equatable, Sendable {
    package var windowPerRoom = 256 * 1_024
    package var windowTotal = 256 * 1_024 * 1_024
    /// Above it the broker stops reading that connection until its replies are read.
    package var unreadReplies = 256 * 1_024
    /// Messages a second that one connection may publish.
    package var publishRate = Int.max

    package init() {}
}
