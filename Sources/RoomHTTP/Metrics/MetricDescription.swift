/// What is known of a metric beforehand.
package struct MetricDescription: Equatable, Sendable {
    /// As its instruments are made with it.
    package let label: String
    /// One sentence.
    package let help: String
    /// The upper bounds of its buckets, ascending, for an aggregating recorder; `nil`: bounds for any use.
    package let bounds: [Double]?

    package init(_ label: String, _ help: String, bounds: [Double]? = nil) {
        self.label = label
        self.help = help
        self.bounds = bounds
    }
}
