import Foundation
import RoomTokens

let secret = ProcessInfo.processInfo.environment["ROOMLINE_SECRET"] ?? ""
let signer = try RoomTokenSigner(channel: "shop", secret: secret)

/// Answers `GET /room-token?client=…` for somebody who is logged in.
func token(for user: User, clientID: String) throws -> String {
    try signer.token(
        for: clientID,
        permissions: [
            .all: RoomPermissions(subscribe: true, history: 20),
            .exactly("lobby"): RoomPermissions(publish: true),
            .startingWith("team-\(user.team)-"): RoomPermissions(publish: true, moderate: user.isModerator),
        ],
        data: ["id": user.id, "name": user.name],
        expiresIn: .seconds(300)
    )
}

// snippet.hide
struct User {
    let id: String
    let name: String
    let team: String
    let isModerator: Bool
}
