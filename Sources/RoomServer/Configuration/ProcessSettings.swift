package import Logging

/// What the process itself is made of: threads and log.
package struct ProcessSettings: Equatable, Sendable {
    /// `nil`: one fewer than the cores: the kernel and the store need one too.
    package var loops: Int?
    package var logLevel = Logger.Level.info
    package var logFormat = LogFormat.text

    package init() {}
}
