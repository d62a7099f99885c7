package import Logging

/// What the process itself is made of: threads and log.
package struct ProcessSettings: Equatable, Sendable {
    /// `nil`: one for each core.
    package var loops: Int?
    package var logLevel = Logger.Level.info
    package var logFormat = LogFormat.text

    package init() {}
}
