/// Bytes that are no record of this version: what is wrong, and where.
package struct RecordError: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        /// The bytes end within it.
        case cutOff
        /// More bytes follow than belong to it.
        case tooLong(left: Int)
        /// A kind or a version that this release does not know.
        case unknown(String)
        case invalid(String)
    }

    /// The part of the record.
    package var part: String
    /// The byte behind the last one that was read.
    package var offset: Int
    package var problem: Problem

    package var description: String {
        let problem =
            switch self.problem {
            case .cutOff: "the bytes end within it"
            case .tooLong(let left): "\(left) bytes follow that belong to nothing"
            case .unknown(let what): "unknown \(what)"
            case .invalid(let what): what
            }
        return "the record cannot be read: \(self.part), at byte \(self.offset): \(problem)"
    }
}
