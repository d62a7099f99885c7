package import RoomCore
package import RoomModel

/// What REST has to know of a channel. `RoomChannel` is one; tests have others.
package protocol RESTChannel: Sendable {
    var settings: ChannelSettings { get }

    /// Whether the text is one of the channel's secrets, in constant time.
    ///
    /// - Parameter now: Unix seconds.
    func isSecret(_ text: String, now: Int64) -> Bool

    /// - Throws: `RequestError` with `token_invalid`, `token_expired`.
    func grant(_ token: String, now: Int64) throws(RequestError) -> TokenGrant
}

/// The channel of an id as it is now; `nil` where there is none.
package typealias ChannelSource = @Sendable (String) -> (any RESTChannel)?
