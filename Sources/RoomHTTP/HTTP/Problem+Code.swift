import HTTPTypes
package import RoomModel

extension Problem {
    /// A refusal of the broker's core, in HTTP's terms.
    package init(_ error: RequestError) {
        let status = error.code.status
        self.init(status, error.code, error.text)
        if status == .unauthorized { self.headers[.wwwAuthenticate] = "Basic realm=\"roomline\", Bearer" }
        if status == .tooManyRequests || status == .serviceUnavailable {
            let milliseconds = error.retryAfterMilliseconds ?? 1_000
            self.headers[.retryAfter] = "\(max(1, (milliseconds + 999) / 1_000))"
        }
    }
}

extension Code {
    var status: HTTPResponse.Status {
        switch self {
        case .authenticationRequired, .tokenInvalid, .tokenExpired: .unauthorized
        case .permissionDenied, .banned, .kicked, .muted, .roomLocked: .forbidden
        case .unknownChannel, .messageNotFound, .memberNotFound, .sanctionNotFound: .notFound
        case .tooManySanctions, .messageIDConflict, .alreadyConnected, .alreadySubscribed, .replaced: .conflict
        case .messageTooLarge, .lineTooLong: .contentTooLarge
        case .rateLimited, .tooManyRooms, .tooManyMembers, .slowConsumer: .tooManyRequests
        case .storageUnavailable, .shuttingDown, .tooManyConnections: .serviceUnavailable
        case .handshakeTimeout, .heartbeatTimeout: .requestTimeout
        case .internal: .internalServerError
        case .malformedJSON, .invalidUTF8, .nestingTooDeep, .duplicateField, .unknownType, .missingField,
            .invalidField, .handshakeRequired, .roomNameInvalid, .notSubscribed, .notObservable, .historyOff,
            .wrongProtocol:
            .badRequest
        }
    }
}
