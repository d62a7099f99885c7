import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import RoomModel

extension Request {
    /// - Parameter head: its target is a path.
    /// - Returns: `nil` if the method is none.
    init?(_ head: HTTPRequestHead, body: ByteBuffer?) {
        guard let method = HTTPRequest.Method(head.method.rawValue) else { return nil }
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            // the guard has let only one Host pass, which is the authority
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            head: HTTPRequest(
                method: method,
                scheme: nil,
                authority: head.headers.first(name: "host"),
                path: head.uri,
                headerFields: fields
            ),
            body: RequestBody(buffer: (body ?? ByteBuffer()).withoutByteOrderMark)
        )
    }
}

extension HTTPResponseHead {
    /// - Parameter version: that of the request. A client of HTTP/1.0 gets no chunks, which it does not know
    ///   (RFC 9112 §6.1).
    init(_ head: HTTPResponse, version: HTTPVersion) {
        let status = HTTPResponseStatus(statusCode: head.status.code, reasonPhrase: head.status.reasonPhrase)
        let version = version == .http1_0 ? version : .http1_1
        self.init(version: version, status: status, headers: HTTPHeaders(head.headerFields))
    }
}

extension HTTPHeaders {
    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }
}
