package import Metrics

/// Acts of moderation that were done, by what they were.
package struct ModerationInstruments: Sendable {
    /// Of all that there are, so that each begins at 0: a rate needs a value before the first act.
    private let acts: [AuditAction: Counter]

    package init(factory: any MetricsFactory) {
        self.acts = Dictionary(
            uniqueKeysWithValues: AuditAction.allCases.map { action in
                let dimensions = [("action", action.rawValue)]
                return (action, Counter(label: "roomline.moderation.acts", dimensions: dimensions, factory: factory))
            }
        )
    }

    func count(_ action: AuditAction) {
        self.acts[action]?.increment()
    }
}
