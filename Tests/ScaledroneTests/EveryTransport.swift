import RoomTestKit
import Testing

/// Runs each test once over every transport; a failure names the one.
struct EveryTransport: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for transport in ClientTransport.allCases {
            let handling = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("over \(transport)")
                return issue
            }
            try await ClientTransport.$current.withValue(transport) {
                try await handling.provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }
}

extension Trait where Self == EveryTransport {
    static var overEveryTransport: Self { Self() }
}
