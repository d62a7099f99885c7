/// What one check of the doctor has found.
package struct Finding: Equatable, Sendable {
    package enum Status: String, Comparable, Sendable {
        case ok
        /// It works, but not as it could, or not for ever.
        case warning
        /// Something does not work, or is not safe.
        case problem

        package static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .problem: 2
            }
        }
    }

    /// The stable word for what was looked at, as `open_files`.
    package let check: String
    package let status: Status
    package let text: String
    /// What to do about it; `nil` where nothing is to be done.
    package let advice: String?

    package init(_ check: String, _ status: Status, _ text: String, advice: String? = nil) {
        self.check = check
        self.status = status
        self.text = text
        self.advice = advice
    }
}
