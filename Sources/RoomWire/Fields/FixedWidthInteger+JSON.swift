import RoomJSON

extension FixedWidthInteger {
    /// `nil` where the type does not have the number. (Generic code is compiled for each type within its own module only.)
    init?(_ integer: JSONInteger) {
        guard let magnitude = integer.magnitude else { return nil }
        if integer.isNegative {
            guard magnitude <= Int64.min.magnitude else { return nil }
            self.init(exactly: 0 &- Int64(truncatingIfNeeded: magnitude))
        } else {
            self.init(exactly: magnitude)
        }
    }
}
