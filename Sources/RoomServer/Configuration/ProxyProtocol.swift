/// Whether connections to the TCP port begin with a PROXY header. There is no "if there is one": anybody could forge it.
package enum ProxyProtocol: String, CaseIterable, Sendable {
    case off
    case required
}
