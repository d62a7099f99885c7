/// One message of a room, as a moderator names it.
package enum MessageReference: Hashable, Sendable {
    case seq(UInt64)
    case id(UniqueID)
}
