import RoomCore

/// Why the control plane refuses a change.
package struct ControlError: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        case unknownChannel
        case channelExists
        /// The channel is not at the version that the change was made for.
        case versionDiffers
        /// The channel would be open to strangers.
        case channelExposed
        /// The cluster cannot promise that a message survives a power cut.
        case durabilityUnavailable
        /// A flag of this start names the setting.
        case settingLocked
        case unknownToken
        case tokenExists
        /// The control file or the history does not answer.
        case storageUnavailable
    }

    package let reason: Reason
    /// Says what was wrong and what would be right.
    package let text: String

    package init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    /// The error of the control file for a change.
    init(_ error: ChannelDirectoryError, exists: Reason, notFound: Reason) {
        switch error.reason {
        case .unavailable: self.init(.storageUnavailable, error.text)
        case .notFound: self.init(notFound, error.text)
        case .exists: self.init(exists, error.text)
        case .versionDiffers: self.init(.versionDiffers, error.text)
        }
    }
}
