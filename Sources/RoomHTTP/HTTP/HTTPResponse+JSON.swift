import NIOCore
import NIOHTTP1
import RoomCore
import RoomJSON
import RoomWire

extension HTTPResponse {
    private static let jsonHeaders: HTTPHeaders = ["Content-Type": "application/json"]

    static func json(_ body: ByteBuffer, status: HTTPResponseStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, headers: Self.jsonHeaders, body: .bytes(body))
    }

    /// `{"message":"…","code":"…"}`.
    static func failed(_ problem: Problem) -> HTTPResponse {
        var response = HTTPResponse.json(problem.messageBody, status: problem.status)
        response.headers.add(contentsOf: problem.headers)
        return response
    }

    /// The same as problem details (RFC 9457).
    static func problem(_ problem: Problem) -> HTTPResponse {
        var response = HTTPResponse(
            status: problem.status,
            headers: ["Content-Type": "application/problem+json"],
            body: .bytes(problem.problemBody)
        )
        response.headers.add(contentsOf: problem.headers)
        return response
    }
}

extension HTTPResponse {
    /// A document of the admin API.
    static func document(
        _ document: some FieldValue,
        status: HTTPResponseStatus = .ok,
        version: Int64? = nil,
        location: String? = nil
    ) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if let version { headers[field: "ETag"] = "\"\(version)\"" }
        if let location { headers[field: "Location"] = location }
        var body = ByteBuffer()
        document.write(to: &body)
        return HTTPResponse(status: status, headers: headers, body: .bytes(body))
    }

    static func document(
        _ tree: JSONTree,
        status: HTTPResponseStatus = .ok,
        version: Int64? = nil,
        location: String? = nil
    ) -> HTTPResponse {
        self.document(tree.bytes, status: status, version: version, location: location)
    }

    /// A page of a list of the admin API.
    ///
    /// - Parameters:
    ///   - total: how many elements there are in all; `nil`: it does not say.
    ///   - next: where the next page begins; `nil`: there is none.
    static func page(
        _ name: StaticString,
        _ elements: [some FieldValue],
        total: Int? = nil,
        next: String?
    ) -> HTTPResponse {
        var body = ByteBuffer()
        ObjectWriter.write(into: &body) { writer in
            var (total, next) = (total, next.map { PageCursor.text($0) })
            writer.field(name, elements)
            writer.field("total", &total)
            writer.nullable("next", &next)
        }
        return HTTPResponse.json(body)
    }

    /// Done, and there is nothing to show.
    static var done: HTTPResponse { HTTPResponse(status: .noContent) }
}

extension JSONTree {
    /// The cursor of the next page, where there is one.
    static func next(_ place: String?) -> JSONTree {
        .optional(place) { .string(PageCursor.text($0)) }
    }
}
