/// The broker's process did not do what a test needs of it.
package struct BrokerFailure: Error, CustomStringConvertible {
    package let reason: String
    package let log: [String]

    package var description: String { ([self.reason + "; its log:"] + self.log).joined(separator: "\n") }
}
