/// A text that an option does not take, and what it would take.
struct InvalidValue: Error, Equatable {
    let value: String
    /// Completes "give …".
    let allowed: String
}
