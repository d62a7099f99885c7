import Foundation
import RoomCore
package import RoomModel
import RoomTokens

/// Signs tokens of a channel, as the backend of an app does that has the channel's secret.
package struct TokenMint: Sendable {
    /// The claim that lets its bearer do everything in all rooms.
    package static let everything = #"{".*":{"publish":true,"subscribe":true,"history":1000000}}"#

    private let channel: String
    private let signer: TokenSigner

    package init(channel: String, secret: ChannelSecret) {
        self.channel = channel
        self.signer = TokenSigner(secret: secret.text)
    }

    /// - Parameters:
    ///   - client: whose it is; `nil`: whoever shows it.
    ///   - validFor: in seconds; below zero, it has expired.
    ///   - permissions: a JSON object.
    ///   - data: what it says of its bearer, as JSON.
    package func token(
        client: String? = nil,
        validFor: Int = 3_600,
        permissions: String = Self.everything,
        data: String? = nil
    ) -> String {
        let end = Int(Date().timeIntervalSince1970) + validFor
        var claims = [#""channel":"\#(self.channel)""#, #""exp":\#(end)"#, #""permissions":\#(permissions)"#]
        if let client { claims.append(#""client":"\#(client)""#) }
        if let data { claims.append(#""data":\#(data)"#) }
        return self.signer.sign(payload: "{\(claims.joined(separator: ","))}")
    }
}
