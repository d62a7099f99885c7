import Foundation
import NIOCore
import NIOHTTP1
import RoomControl
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// One request to the admin API that is let in, with what it asks for in the broker's terms.
struct AdmittedCall: Sendable {
    /// Far above what any of the documents needs.
    static let bodyLimit = 128 * 1024

    let caller: AdminCaller
    let query: AdminQuery
    let headers: HTTPHeaders
    let drain: DrainSignal
    /// The caller could call again. Asking is no use of its session.
    let isStillAllowed: @Sendable () -> Bool
    /// Whether the caller may also do what needs the scope `manage`.
    let isManager: @Sendable () -> Bool
    /// The work that the connection is charged for.
    let work: RequestWork
    private let parameters: [String: Substring]
    private let body: ByteBuffer

    init(
        _ request: HTTPRequest,
        _ context: HTTPRequestContext,
        caller: AdminCaller,
        isStillAllowed: @escaping @Sendable () -> Bool = { true },
        isManager: @escaping @Sendable () -> Bool = { true },
        known parameters: [String]
    ) throws(Problem) {
        self.isStillAllowed = isStillAllowed
        self.isManager = isManager
        self.caller = caller
        self.query = try AdminQuery(String(request.query), known: parameters)
        self.headers = request.headers
        self.drain = context.drain
        self.work = context.work
        self.parameters = context.parameters
        self.body = request.body
    }

    // MARK: The path

    func channel() throws(Problem) -> ChannelID {
        let text = try self.name("channel")
        guard let id = ChannelID(text) else { throw .unknownChannel(text) }
        return id
    }

    func room(limit: Int) throws(Problem) -> RoomName {
        let name = try self.name("room")
        if let fault = RoomNameRule.fault(in: name, limit: limit) { throw Problem(fault) }
        return RoomName(name)
    }

    /// One part of the path, decoded.
    func name(_ parameter: String) throws(Problem) -> String {
        guard let part = self.parameters[parameter], let text = try? PercentEncoding.decode(part) else {
            throw .invalid("the path is not percent-encoded UTF-8")
        }
        return text
    }

    // MARK: Headers

    /// The condition that `If-Match` sets.
    func condition() throws(Problem) -> VersionCondition {
        let fields = self.headers["If-Match"]
        if fields.isEmpty { return .any }
        // An empty field is none that somebody meant: it must not let every change through.
        let values = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        if values == ["*"] { return .any }
        var versions: Set<Int64> = []
        for value in values {
            guard value.utf8.count >= 3, value.first == "\"", value.last == "\"" else {
                throw .invalid("If-Match is \(value.shown): give what ETag said, in its quotes, or *")
            }
            // A tag that is none of ours matches nothing.
            if let version = Int64(value.dropFirst().dropLast()) { versions.insert(version) }
        }
        return .oneOf(versions)
    }

    // MARK: The body

    /// The body as a JSON value; `nil` where there is none.
    func document(types: [String] = ["application/json"]) throws(Problem) -> JSONTree? {
        let bytes = try self.bytes(upTo: Self.bodyLimit)
        if bytes.readableBytes == 0 { return nil }
        try self.checkType(types)
        do throws(RequestError) {
            return try JSONTree.read(bytes)
        } catch {
            throw Problem(error)
        }
    }

    static let patchTypes = ["application/merge-patch+json", "application/json"]

    /// The body as a document that has to be there; a field that is not described is refused.
    func body<Body: AdminDocument>(
        _: Body.Type = Body.self,
        types: [String] = ["application/json"]
    ) throws(Problem) -> Body {
        guard let body: Body = try self.bodyIfAny(types: types) else { throw Problem.noBody }
        return body
    }

    /// The same; `nil` where there is no body.
    func bodyIfAny<Body: AdminDocument>(types: [String] = ["application/json"]) throws(Problem) -> Body? {
        guard let tree = try self.document(types: types) else { return nil }
        _ = try DocumentReader(tree, known: FieldListing.fields(of: Body.self).map(\.name))
        do throws(FieldFault) {
            return try Body(reading: tree.bytes, names: Body.names)
        } catch {
            throw Problem(error)
        }
    }

    /// The body as one JSON value, byte for byte but for blanks around it and line breaks between its tokens.
    func message(limits: FrameLimits) throws(Problem) -> ByteBuffer {
        let bytes = try self.bytes(upTo: limits.endlessLine)
        try self.checkType(["application/json"])
        do throws(RequestError) {
            return try FrameDecoder(limits: limits).value(bytes)
        } catch {
            throw Problem(error)
        }
    }

    func bytes(upTo limit: Int) throws(Problem) -> ByteBuffer {
        guard self.body.readableBytes <= limit else {
            throw Problem(.contentTooLarge, .bodyTooLarge, "the body can have \(limit) bytes")
        }
        return self.body
    }

    func checkType(_ types: [String]) throws(Problem) {
        let type = self.headers[field: "Content-Type"]?.split(separator: ";").first?
            .trimmingCharacters(in: .whitespaces).lowercased()
        guard let type, types.contains(type) else {
            throw Problem(
                .unsupportedMediaType,
                .unsupportedMediaType,
                "the body is \(type?.shown ?? "of no type"): send Content-Type: \(types[0])",
                headers: ["Accept": types.joined(separator: ", ")]
            )
        }
    }
}
