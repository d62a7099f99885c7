import HTTPTypes
import Hummingbird
import NIOCore

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
