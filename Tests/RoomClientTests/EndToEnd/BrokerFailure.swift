/// The broker's process did not do what a test needs of it.
struct BrokerFailure: Error, CustomStringConvertible {
    let reason: String
    let log: [String]

    var description: String { ([self.reason + "; its log:"] + self.log).joined(separator: "\n") }
}
