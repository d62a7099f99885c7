package import Metrics

/// Acts of moderation that were done, by what they were.
package struct ModerationInstruments: Sendable {
    /// A counter for every action that there is, so that each begins at 0: a rate needs a value before the first act.
    private let acts: [String: Counter]

    /// - Parameter actions: all that there are, by their words in the audit log.
    package init(actions: [String], factory: any MetricsFactory) {
        self.acts = Dictionary(
            uniqueKeysWithValues: actions.map { action in
                let dimensions = [("action", action)]
                return (action, Counter(label: "roomline.moderation.acts", dimensions: dimensions, factory: factory))
            }
        )
    }

    package func count(_ action: String) {
        self.acts[action]?.increment()
    }
}
