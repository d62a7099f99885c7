/// Numbers of things, for people.
package enum Counted {
    /// `1 room`, `2 rooms`.
    ///
    /// - Parameters:
    ///   - noun: for one.
    ///   - plural: for several; `nil`: with an s.
    package static func text(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
    }
}
