import RoomModel
import RoomWire
import Testing

@testable import RoomClient

struct RoomClientErrorTests {
    @Test func `the broker's words are retried as its table says, unknown ones never`() {
        for code in Code.allCases {
            let error = RoomClientError(ReplyError(code: code.rawValue, text: "t"))
            #expect(error.isRetryable == code.isRetryable, "\(code)")
        }
        #expect(!RoomClientError(ReplyError(code: "new", text: "t")).isRetryable)
    }

    @Test func `a refusal says what the broker said`() {
        let error = RoomClientError(ReplyError(code: "rate_limited", text: "slow down", retryAfterMilliseconds: 250))
        #expect(error.code == .rateLimited)
        #expect(error.retryAfter == .milliseconds(250))
        #expect("\(error)" == "rate_limited: slow down")
        #expect(
            "\(RoomClientError(.closed, "over", cause: CancellationError()))" == "closed: over (CancellationError())"
        )
    }
}
