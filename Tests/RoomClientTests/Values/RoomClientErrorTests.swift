import RoomModel
import Testing

@testable import RoomClient
@testable import RoomWire

struct RoomClientErrorTests {
    @Test func `the broker's words are retried as its table says, unknown ones never`() {
        for code in Code.allCases {
            let error = RoomClientError(ReplyError.make(code.rawValue))
            #expect(error.isRetryable == code.isRetryable, "\(code)")
        }
        #expect(!RoomClientError(ReplyError.make("new")).isRetryable)
    }

    @Test func `every word of the broker's has a constant`() {
        let constants: [RoomClientError.Code] = [
            .malformedJSON, .invalidUTF8, .lineTooLong, .nestingTooDeep, .duplicateField, .unknownType, .missingField,
            .invalidField, .handshakeRequired, .handshakeTimeout, .alreadyConnected, .unknownChannel, .roomNameInvalid,
            .notSubscribed, .notObservable, .historyOff, .authenticationRequired, .tokenInvalid,
            .tokenExpired, .permissionDenied, .banned, .kicked, .muted, .roomLocked, .messageNotFound, .memberNotFound,
            .sanctionNotFound, .tooManySanctions, .rateLimited, .tooManyRooms, .tooManyStoredRooms, .tooManyMembers,
            .tooManyConnections, .messageTooLarge, .messageIDConflict, .storageUnavailable, .slowConsumer,
            .heartbeatTimeout, .wrongProtocol, .replaced, .shuttingDown, .internal,
        ]
        #expect(Set(constants.map(\.rawValue)) == Set(Code.allCases.map(\.rawValue)))
    }

    @Test func `that a token is wanted is said to people, too`() {
        let error = RoomClientError(ReplyError.make("authentication_required", "Unauthorized"))
        #expect(error.message == "the channel wants an access token, and this client has none")
    }

    @Test func `a refusal says what the broker said`() {
        let error = RoomClientError(ReplyError(code: "rate_limited", text: "slow down", retryAfterMilliseconds: 250))
        #expect(error.code == .rateLimited)
        #expect(error.retryAfter == .milliseconds(250))
        #expect("\(error)" == "rate_limited: slow down")
    }
}
