/// Every stable word that the broker uses for an error or a goodbye, with what a client should do about it.
///
/// This is the one table: reply errors, `goodbye` frames and WebSocket close codes all derive from it.
package enum Code: String, CaseIterable, Sendable {
    case malformedJSON = "malformed_json"
    case invalidUTF8 = "invalid_utf8"
    case lineTooLong = "line_too_long"
    case nestingTooDeep = "nesting_too_deep"
    case duplicateField = "duplicate_field"
    case unknownType = "unknown_type"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case handshakeRequired = "handshake_required"
    case handshakeTimeout = "handshake_timeout"
    case alreadyConnected = "already_connected"
    case unknownChannel = "unknown_channel"
    case roomNameInvalid = "room_name_invalid"
    case notSubscribed = "not_subscribed"
    case notObservable = "not_observable"
    case historyOff = "history_off"
    case authenticationRequired = "authentication_required"
    case tokenInvalid = "token_invalid"
    case tokenExpired = "token_expired"
    case permissionDenied = "permission_denied"
    case banned
    case kicked
    case muted
    case roomLocked = "room_locked"
    case rateLimited = "rate_limited"
    case tooManyRooms = "too_many_rooms"
    case tooManyStoredRooms = "too_many_stored_rooms"
    case tooManyMembers = "too_many_members"
    case tooManyConnections = "too_many_connections"
    case messageTooLarge = "message_too_large"
    case messageIDConflict = "message_id_conflict"
    case messageNotFound = "message_not_found"
    case memberNotFound = "member_not_found"
    case sanctionNotFound = "sanction_not_found"
    case tooManySanctions = "too_many_sanctions"
    case storageUnavailable = "storage_unavailable"
    case slowConsumer = "slow_consumer"
    case heartbeatTimeout = "heartbeat_timeout"
    case wrongProtocol = "wrong_protocol"
    case replaced
    case shuttingDown = "shutting_down"
    case `internal`

    /// The same request may succeed later, unchanged.
    package var isRetryable: Bool { self.row.retryable }

    /// After a goodbye with this code: whether the client should connect again by itself.
    package var reconnects: Bool { self.row.reconnects }

    /// The WebSocket close code (RFC 6455 §7.4; 4000 and up are ours) of a goodbye with this code.
    package var webSocketCloseCode: UInt16 { self.row.closeCode }

    private var row: (retryable: Bool, reconnects: Bool, closeCode: UInt16) {
        switch self {
        case .malformedJSON: (false, true, 4400)
        case .invalidUTF8: (false, true, 1007)
        case .lineTooLong: (false, true, 1009)
        case .nestingTooDeep: (false, true, 4401)
        case .duplicateField: (false, true, 4402)
        case .unknownType: (false, true, 4403)
        case .missingField: (false, true, 4404)
        case .invalidField: (false, true, 4405)
        case .handshakeRequired: (false, true, 4406)
        case .handshakeTimeout: (true, true, 4407)
        case .alreadyConnected: (false, true, 4408)
        case .unknownChannel: (false, false, 4500)
        case .roomNameInvalid: (false, true, 4409)
        case .notSubscribed: (false, true, 4410)
        case .notObservable: (false, true, 4412)
        case .historyOff: (false, true, 4413)
        case .authenticationRequired: (false, false, 4501)
        case .tokenInvalid: (false, false, 4502)
        case .tokenExpired: (false, true, 4414)
        case .permissionDenied: (false, false, 4503)
        case .banned: (false, false, 4504)
        case .kicked: (false, false, 4507)
        case .muted: (false, true, 4415)
        case .roomLocked: (false, true, 4425)
        case .rateLimited: (true, true, 4416)
        case .tooManyRooms: (false, true, 4417)
        case .tooManyStoredRooms: (false, true, 4430)
        case .tooManyMembers: (true, true, 4418)
        case .tooManyConnections: (true, true, 4419)
        case .messageTooLarge: (false, true, 4420)
        case .messageIDConflict: (false, true, 4421)
        case .messageNotFound: (false, true, 4426)
        case .memberNotFound: (false, true, 4427)
        case .sanctionNotFound: (false, true, 4428)
        case .tooManySanctions: (false, true, 4429)
        case .storageUnavailable: (true, true, 4422)
        case .slowConsumer: (true, true, 4423)
        case .heartbeatTimeout: (true, true, 4424)
        case .wrongProtocol: (false, false, 4505)
        case .replaced: (false, false, 4506)
        case .shuttingDown: (true, true, 1012)
        case .internal: (true, true, 1011)
        }
    }
}
