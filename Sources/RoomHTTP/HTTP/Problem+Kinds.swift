import HTTPTypes
import RoomCore
import RoomModel

extension Problem {
    /// A field or a parameter is not what it has to be.
    static func invalid(_ detail: String) -> Problem { Problem(.badRequest, Code.invalidField, detail) }

    static func missing(_ name: String) -> Problem {
        Problem(.badRequest, Code.missingField, "the field \(name) is missing")
    }

    static func unknownChannel(_ id: String) -> Problem {
        Problem(.notFound, Code.unknownChannel, "there is no channel \(id.shown)")
    }

    /// What the control file says to a change.
    init(_ error: ChannelDirectoryError, exists: ProblemCode = .channelExists, notFound: ProblemCode? = nil) {
        switch error.reason {
        case .unavailable: self.init(.serviceUnavailable, Code.storageUnavailable, error.text)
        case .notFound: self.init(.notFound, notFound ?? ProblemCode(.unknownChannel), error.text)
        case .exists: self.init(.conflict, exists, error.text)
        case .versionDiffers: self.init(.preconditionFailed, .versionDiffers, error.text)
        }
    }
}
