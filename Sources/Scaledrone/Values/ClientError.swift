import Foundation
import RoomClient

/// An error for a delegate.
struct ClientError: Error {
    let code: RoomClientError.Code
    let text: String
    /// The room that the error concerns.
    let room: String?
    let cause: (any Error)?

    init(code: RoomClientError.Code, text: String, room: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.text = text
        self.room = room
        self.cause = cause
    }

    init(_ error: RoomClientError, room: String? = nil) {
        // Scaledrone's text, which apps may compare.
        let text = error.code == .authenticationRequired ? "Unauthorized" : error.message
        self.init(code: error.code, text: text, room: room, cause: error)
    }

    func about(_ room: String) -> ClientError {
        ClientError(code: self.code, text: self.text, room: room, cause: self.cause)
    }

    /// The error in the form of Scaledrone's client, with `"error"` in `userInfo`, and with more fields.
    var nsError: NSError {
        var info: [String: Any] = [
            "error": self.text, "code": self.code.rawValue, NSLocalizedDescriptionKey: self.text,
        ]
        info["room"] = self.room
        info[NSUnderlyingErrorKey] = self.cause
        return NSError(domain: "scaledrone.com", code: 0, userInfo: info)
    }
}

extension ClientError {
    static let notConnected = ClientError(code: .notConnected, text: "not connected: call connect() first")

    static func gap(_ gap: RoomGap, in room: String) -> ClientError {
        let what = gap.seqs.map { "messages \($0.lowerBound) to \($0.upperBound)" } ?? "messages"
        let text = "\(what) of this room are missing: \(gap.reason)"
        return ClientError(code: RoomClientError.Code(rawValue: "gap"), text: text, room: room)
    }
}
