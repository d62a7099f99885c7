import CBuild

/// Which broker this is.
package enum BrokerVersion {
    package static let text = "0.1.0"

    /// With the commit, where the binary was installed from a clone: `0.1.0 (0123456789ab)`.
    package static var full: String {
        let commit = String(cString: build_commit())
        return commit.isEmpty ? self.text : "\(self.text) (\(commit))"
    }
}
