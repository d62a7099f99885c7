import NIOHTTP1
import RoomControl
import RoomJSON
import RoomModel
import RoomWire

extension Problem {
    /// A refusal of the broker's core, in HTTP's terms.
    init(_ error: RequestError) {
        let status = error.code.status
        self.init(status, error.code, error.text)
        if status == .unauthorized { self.headers[field: "WWW-Authenticate"] = "Basic realm=\"roomline\", Bearer" }
        if status == .tooManyRequests || status == .serviceUnavailable {
            let milliseconds = error.retryAfterMilliseconds ?? 1_000
            self.headers[field: "Retry-After"] = "\(max(1, (milliseconds + 999) / 1_000))"
        }
    }
}

extension Problem {
    /// What is wrong with a body.
    init(_ fault: FieldFault) {
        let field = fault.path.joined(separator: ".")
        switch fault.kind {
        case .missing: self = .missing(field)
        case .misfit(let right, let value, _):
            self = .invalid("\(field) is \(JSONTree.verbatim(value).shown): give \(right)")
        case .unfit(let text): self = .invalid("\(field) \(text)")
        case .repeated, .refused: self.init(RequestError(fault))
        }
    }
}

extension Code {
    var status: HTTPResponseStatus {
        switch self {
        case .authenticationRequired, .tokenInvalid, .tokenExpired: .unauthorized
        case .permissionDenied, .banned, .kicked, .muted, .roomLocked: .forbidden
        case .unknownChannel, .messageNotFound, .memberNotFound, .sanctionNotFound: .notFound
        case .tooManySanctions, .messageIDConflict, .alreadyConnected, .replaced: .conflict
        case .messageTooLarge, .lineTooLong: .contentTooLarge
        case .rateLimited, .tooManyRooms, .tooManyStoredRooms, .tooManyMembers, .slowConsumer: .tooManyRequests
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

extension Problem {
    /// A refusal of the control plane, in HTTP's terms.
    init(_ error: ControlError) {
        let (status, code): (HTTPResponseStatus, ProblemCode) =
            switch error.reason {
            case .unknownChannel: (.notFound, ProblemCode(.unknownChannel))
            case .unknownToken: (.notFound, .unknownToken)
            case .channelExists: (.conflict, .channelExists)
            case .tokenExists: (.conflict, .tokenExists)
            case .channelExposed: (.conflict, .channelExposed)
            case .durabilityUnavailable: (.conflict, .durabilityUnavailable)
            case .settingLocked: (.conflict, .settingLocked)
            case .versionDiffers: (.preconditionFailed, .versionDiffers)
            case .storageUnavailable: (.serviceUnavailable, ProblemCode(.storageUnavailable))
            }
        self.init(status, code, error.text)
    }
}

/// Refusals by the broker's other parts.
protocol ProblemConvertible: Error {
    var problem: Problem { get }
}

extension RequestError: ProblemConvertible {
    var problem: Problem { Problem(self) }
}

extension ControlError: ProblemConvertible {
    var problem: Problem { Problem(self) }
}
