import HTTPTypes
import Hummingbird
import NIOCore
import RoomCore
import RoomJSON

extension Response {
    private static let jsonHeaders: HTTPFields = [.contentType: "application/json"]

    static func json(_ body: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: Self.jsonHeaders, body: ResponseBody(byteBuffer: body))
    }

    /// `{"message":"…","code":"…"}`.
    static func failed(_ problem: Problem) -> Response {
        var response = Response.json(problem.messageBody, status: problem.status)
        response.headers.append(contentsOf: problem.headers)
        return response
    }

    /// The same as problem details (RFC 9457).
    static func problem(_ problem: Problem) -> Response {
        var response = Response(
            status: problem.status,
            headers: [.contentType: "application/problem+json"],
            body: ResponseBody(byteBuffer: problem.problemBody)
        )
        response.headers.append(contentsOf: problem.headers)
        return response
    }
}

extension Response {
    /// A document of the admin API.
    static func document(
        _ tree: JSONTree,
        status: HTTPResponse.Status = .ok,
        version: Int64? = nil,
        location: String? = nil
    ) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let version { headers[.eTag] = "\"\(version)\"" }
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: tree.bytes))
    }

    /// Done, and there is nothing to show.
    static var done: Response { Response(status: .noContent) }
}

extension JSONTree {
    /// The cursor of the next page, where there is one.
    static func next(_ place: String?) -> JSONTree {
        .optional(place) { .string(PageCursor.text($0)) }
    }
}
