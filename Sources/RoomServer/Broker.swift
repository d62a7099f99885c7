package import Logging

/// Placeholder for the wiring of the broker.
package struct Broker: Sendable {
    package init(configuration: ServerConfiguration, logger: Logger) {}

    package func run() async throws {}
}
