/// What a history query brings: the entries of a room's log.
package enum StoredEntry: Equatable, Sendable {
    case message(DeliveredMessage)
    case redaction(RedactionEvent)
}
