/// How a log record looks on stderr.
package enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON object a line, for machines.
    case json
}
