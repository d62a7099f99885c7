import Foundation
import RoomJSON

/// One request to the admin API.
struct AdminRequest: Equatable, Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    /// The parts of the path behind `root`, not encoded.
    let path: [String]
    /// Where the path begins; only what is asked of the broker beside its admin API has another one.
    var root = "/admin/v1"
    var query: [(name: String, value: String)]
    var body: JSONTree?
    /// The media type of the body.
    var contentType = "application/json"
    /// The version that a change is for; `nil`: whatever it is.
    var version: Int64?
    /// The last event of a stream that was received.
    var lastEventID: String?

    init(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String)] = [],
        body: JSONTree? = nil,
        version: Int64? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.version = version
    }

    /// The path and the query as they stand in the request.
    var target: String {
        let path = self.root + self.path.map { "/" + Self.encoded($0) }.joined()
        guard !self.query.isEmpty else { return path }
        return path + "?" + self.query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    var channel: String? { self.part(after: "channels") ?? self.parameter("channel") }
    var room: String? { self.part(after: "rooms") ?? self.parameter("room") }
    /// A client id, of a room or of the whole channel.
    var member: String? { self.part(after: "members") }

    static func == (left: AdminRequest, right: AdminRequest) -> Bool {
        left.method == right.method && left.target == right.target && left.body == right.body
            && left.version == right.version
    }

    /// The name behind a word of the path, where the words are every other part of it.
    private func part(after word: String) -> String? {
        stride(from: 0, to: self.path.count - 1, by: 2).first { self.path[$0] == word }.map { self.path[$0 + 1] }
    }

    private func parameter(_ name: String) -> String? { self.query.first { $0.name == name }?.value }

    /// Everything but the unreserved characters of RFC 3986; a slash within a name, too.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(Unicode.Scalar(byte))
            default: "%" + String(0x100 + UInt(byte), radix: 16, uppercase: true).dropFirst()
            }
        }.joined()
    }
}
