/// The kinds of entries in a room's log, by their bytes wherever it is kept.
package enum EntryKind: UInt8, Sendable {
    case message
    /// Tells that an earlier message was redacted.
    case redaction
    /// A message whose text is gone.
    case tombstone

    /// Whether it is, or was, what somebody has published: others tell something of one.
    package var isMessage: Bool { self != .redaction }
}
