/// Which broker this is.
package enum BrokerVersion {
    package static let text = "0.1.0"
}
