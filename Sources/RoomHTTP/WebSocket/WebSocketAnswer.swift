import Foundation
import NIOHTTP1
import RoomWire

/// The answer to a request for `/v3/websocket`, by its head (RFC 6455 §4.2). Extensions and subprotocols that are
/// offered are not taken up. The origin does not matter here: the channel decides, which the client's first frame
/// names.
enum WebSocketAnswer: Equatable {
    /// - Parameter proof: for `Sec-WebSocket-Accept`.
    case accepted(proof: String)
    case refused(Problem)

    static let path = "/v3/websocket"

    /// - Returns: `nil` if the request is for something else.
    init?(_ head: HTTPRequestHead, hasBody: Bool) {
        guard head.uri.prefix(while: { $0 != "?" }) == Self.path else { return nil }
        do throws(Problem) {
            try Self.checkOffer(head)
            try Self.checkVersion(head.headers)
            guard !hasBody else { throw HTTPRequestCheck.malformed("a request for a WebSocket has no body") }
            self = .accepted(proof: try Self.proof(head.headers))
        } catch {
            self = .refused(error)
        }
    }

    /// The method, HTTP's version, and the tokens that ask for an upgrade.
    private static func checkOffer(_ head: HTTPRequestHead) throws(Problem) {
        guard head.method == .GET else {
            throw Problem(
                .methodNotAllowed,
                .methodNotAllowed,
                "\(head.method.rawValue) is not allowed here; a WebSocket begins with GET",
                headers: ["Allow": "GET"]
            )
        }
        guard head.version == .http1_1 else {
            throw HTTPRequestCheck.malformed(
                "a WebSocket needs HTTP/1.1; a proxy in between has to be told so (nginx: proxy_http_version 1.1)"
            )
        }
        let upgrade = head.headers[canonicalForm: "upgrade"]
        guard upgrade.contains(where: { $0.lowercased() == "websocket" }) else {
            throw self.required("connect with a WebSocket client, to ws:// or wss://")
        }
        guard head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }) else {
            throw self.required("Connection does not name Upgrade; a proxy in between has to pass both on")
        }
    }

    private static func required(_ text: String) -> Problem {
        Problem(
            .upgradeRequired,
            .upgradeRequired,
            "this path is for WebSocket: \(text)",
            headers: ["Upgrade": "websocket", "Connection": "Upgrade"]
        )
    }

    private static func checkVersion(_ headers: HTTPHeaders) throws(Problem) {
        guard headers[self.versionName] != ["13"] else { return }
        var problem = self.required("the only supported Sec-WebSocket-Version is 13")
        problem.code = .versionUnsupported
        problem.headers.add(name: self.versionName, value: "13")
        throw problem
    }

    private static let versionName = "Sec-WebSocket-Version"

    private static func proof(_ headers: HTTPHeaders) throws(Problem) -> String {
        let keys = headers["Sec-WebSocket-Key"]
        guard keys.count == 1, let key = keys.first, key.utf8.count == 24, Data(base64Encoded: key)?.count == 16 else {
            throw HTTPRequestCheck.malformed(
                "a request for a WebSocket has one Sec-WebSocket-Key: 16 random bytes in base64"
            )
        }
        return Data(SHA1.proof(ofKey: key)).base64EncodedString()
    }
}
