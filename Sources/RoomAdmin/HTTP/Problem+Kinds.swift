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

    /// What the rooms say to a request.
    init(_ error: RequestError) {
        var headers: HTTPFields = [:]
        if let wait = error.retryAfterMilliseconds {
            headers[.retryAfter] = "\(max(1, (wait + 999) / 1_000))"
        }
        self.init(Self.status(of: error.code), error.code, error.text, headers: headers)
    }

    private static func status(of code: Code) -> HTTPResponse.Status {
        switch code {
        case .malformedJSON, .invalidUTF8, .nestingTooDeep, .duplicateField, .missingField, .invalidField,
            .roomNameInvalid:
            .badRequest
        case .authenticationRequired, .tokenInvalid, .tokenExpired: .unauthorized
        case .permissionDenied, .banned, .muted: .forbidden
        case .unknownChannel: .notFound
        case .historyOff, .messageIDConflict: .conflict
        case .messageTooLarge, .lineTooLong: .contentTooLarge
        case .rateLimited, .tooManyRooms, .tooManyMembers, .tooManyConnections: .tooManyRequests
        case .storageUnavailable, .shuttingDown: .serviceUnavailable
        default: .internalServerError
        }
    }
}
