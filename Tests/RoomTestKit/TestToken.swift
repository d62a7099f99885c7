import RoomCore
package import RoomModel
import RoomTokens

/// The tokens that a test's app backend signs.
package enum TestToken {
    /// In all rooms: publish, subscribe, and the newest hundred messages.
    package static let everything = #"{".*":{"publish":true,"subscribe":true,"history":100}}"#

    /// - Parameters:
    ///   - permissions: a JSON object.
    ///   - expires: seconds after the time at which the clocks of tests begin.
    ///   - data: one JSON value.
    package static func make(
        _ permissions: String = TestToken.everything,
        channel: String = "test",
        client: String? = nil,
        expires: Int64 = 3_600,
        data: String? = nil,
        secret: ChannelSecret = TestBroker.secret
    ) -> String {
        var claims = "\"channel\":\"\(channel)\",\"exp\":\(ManualClock.start / 1_000 + expires)"
        if let client { claims += ",\"client\":\"\(client)\"" }
        if let data { claims += ",\"data\":\(data)" }
        return TokenSigner(secret: secret.text).sign(payload: "{\(claims),\"permissions\":\(permissions)}")
    }
}
