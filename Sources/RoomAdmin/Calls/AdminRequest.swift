public import Foundation
public import RoomClient
import RoomDocuments
package import RoomJSON
import RoomWire

/// One request to the admin API, by its path and without types: for what has no ``AdminCall`` yet.
///
/// `Schemas/admin.openapi.yaml` describes all requests. Most programs use the calls, such as
/// ``AdminCall/channel(_:)``.
public struct AdminRequest: Equatable, Sendable {
    /// What is to be done with the resource.
    public enum Method: String, Sendable {
        /// Reads it.
        case get = "GET"
        /// Adds to it.
        case post = "POST"
        /// Changes some of its fields.
        case patch = "PATCH"
        /// Removes it.
        case delete = "DELETE"
    }

    /// What is to be done.
    public let method: Method
    /// The parts of the path behind `/admin/v1`, not encoded: `["channels", "shop", "rooms", "a/b"]`.
    public let path: [String]
    /// Where the path begins; only what is asked of the broker beside its admin API has another one.
    package var root = "/admin/v1"
    /// The parameters, not encoded.
    public var query: [(name: String, value: String)]
    /// The JSON of the body.
    package var body: JSONTree?
    /// The media type of the body.
    package var contentType = "application/json"
    /// The version of the channel that a change is for; `nil`: whatever it is.
    public var version: Int64?
    /// The time that the broker has for its whole answer.
    public var timeout = Duration.seconds(60)
    /// Makes a repeat harmless: the broker carries a request with the same key out once within ten minutes. Only
    /// ``AdminCall/publish(_:to:in:idempotencyKey:)`` has one.
    public internal(set) var idempotencyKey: UUID?
    /// The last event of a stream that was received.
    var lastEventID: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: what is to be done.
    ///   - path: the parts behind `/admin/v1`, not encoded.
    ///   - query: the parameters, not encoded.
    ///   - body: what the request says; `nil`: nothing.
    ///   - version: the version of the channel that a change is for; `nil`: whatever it is.
    public init(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String)] = [],
        json body: JSON?,
        version: Int64? = nil
    ) {
        self.init(method, path, query: query, body: body.map { .verbatim($0.buffer) }, version: version)
    }

    package init(
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

    init(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String)] = [],
        body: some AdminDocument,
        version: Int64? = nil
    ) {
        self.init(method, path, query: query, body: body.tree, version: version)
    }

    /// The path and the query as they stand in the request.
    package var target: String {
        let path = self.root + self.path.map { "/" + Self.encoded($0) }.joined()
        guard !self.query.isEmpty else { return path }
        return path + "?" + self.query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    var canBeRepeated: Bool { self.method == .get || self.idempotencyKey != nil }

    package var channel: String? { self.part(after: "channels") ?? self.parameter("channel") }
    package var room: String? { self.part(after: "rooms") ?? self.parameter("room") }
    /// A client id, of a room or of the whole channel.
    package var member: String? { self.part(after: "members") }

    /// Whether both ask for the same.
    public static func == (left: AdminRequest, right: AdminRequest) -> Bool {
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
