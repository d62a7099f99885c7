/// What `If-Match` asks of the version of a thing (RFC 9110 §13.1.1).
package enum VersionCondition: Equatable, Sendable {
    /// No such header, or `*`: whatever the version is.
    case any
    case oneOf(Set<Int64>)

    func holds(for version: Int64) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let versions): versions.contains(version)
        }
    }
}
