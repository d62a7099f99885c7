import NIOCore
import RoomAdmin
import RoomJSON
import Testing

@testable import roomline

@Suite struct KeptHistoriesTests {
    /// A channel that keeps 1000 messages for 30 days, and 10 in rooms of logs.
    private static let channel =
        #"{"id":"shop","version":3,"locked":[],"previous_secrets":[],"history":{"count":1000,"age_seconds":2592000},"#
        + #""history_rules":[{"pattern":"^log","history":{"count":10,"age_seconds":60}}]}"#

    private func mayKeepLess(_ change: String) throws -> Bool {
        let channel = try AdminChannel(json: ByteBuffer(string: Self.channel))
        let fields = try JSONTree.read(ByteBuffer(string: change)).fields
        return KeptHistories(channel, changedBy: fields).mayKeepLess(than: KeptHistories(channel))
    }

    @Test(arguments: [
        #"{"history":null}"#, #"{"history":{"count":999}}"#, #"{"history":{"age_seconds":2591999.5}}"#,
        #"{"history_rules":[{"pattern":"x","history":null}]}"#,
        #"{"history_rules":[{"pattern":"^log","history":{"count":9,"age_seconds":60}}]}"#,
        #"{"history_rules":[{"pattern":"x","history":{"count":9}},{"pattern":"^log","history":{"count":10,"age_seconds":60}}]}"#,
        #"{"history":{"count":1000,"age_seconds":2592001},"history_rules":[{"pattern":"x","history":{"count":999}}]}"#,
    ])
    func `less is seen`(_ change: String) throws {
        #expect(try self.mayKeepLess(change))
    }

    @Test(arguments: [
        "{}", #"{"name":"x"}"#, #"{"history":{"count":1000}}"#, #"{"history":{"count":1001,"age_seconds":2592000}}"#,
        #"{"history":{"count":null,"age_seconds":null}}"#, #"{"history_rules":[]}"#, #"{"history_rules":null}"#,
        #"{"history_rules":[{"pattern":"^log","history":{"count":10,"age_seconds":60}},{"pattern":"x","history":{"count":1000}}]}"#,
        #"{"history_rules":[{"pattern":"^log","history":{"count":20,"age_seconds":60}}]}"#,
        #"{"history":{"age_seconds":5184000},"history_rules":[{"pattern":"^log","history":{"count":1000}}]}"#,
    ])
    func `as much or more is no loss`(_ change: String) throws {
        #expect(try !self.mayKeepLess(change))
    }
}
