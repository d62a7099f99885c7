import Foundation
import RoomClient
import Testing

@testable import Scaledrone

struct ClientErrorTests {
    @Test
    func `an error looks like those of Scaledrone's client and says more`() throws {
        let cause = #expect(throws: RoomClientError.self) {
            try RoomClient("https://api.scaledrone.com/v3/websocket", channel: "x")
        }
        let error = ClientError(try #require(cause), room: "lobby").nsError
        #expect(error.domain == "scaledrone.com")
        #expect(error.code == 0)
        #expect(error.userInfo["error"] as? String == cause?.message)
        #expect(error.userInfo["code"] as? String == "invalid_url")
        #expect(error.userInfo["room"] as? String == "lobby")
        #expect(error.localizedDescription == cause?.message)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? RoomClientError)?.code == .invalidURL)
    }
}
