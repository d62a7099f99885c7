import NIOCore
package import NIOHTTP1
import RoomJSON
import RoomModel

/// An error of the admin API, as problem details (RFC 9457): `{"type":"about:blank","title","status","detail","code"}`.
package struct Problem: Error, Equatable, Sendable {
    package var status: HTTPResponseStatus
    /// The stable word that programs go by.
    package var code: ProblemCode
    /// The error, and what would be right.
    package var detail: String
    /// The header fields that the status asks for beside the body: `Allow`, `WWW-Authenticate`, `Retry-After`.
    package var headers: HTTPHeaders

    init(
        _ status: HTTPResponseStatus,
        _ code: ProblemCode,
        _ detail: String,
        headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    init(_ status: HTTPResponseStatus, _ code: Code, _ detail: String, headers: HTTPHeaders = [:]) {
        self.init(status, ProblemCode(code), detail, headers: headers)
    }
}

extension Problem {
    /// A field or a parameter is not what it has to be.
    static func invalid(_ detail: String) -> Problem { Problem(.badRequest, Code.invalidField, detail) }

    static func missing(_ name: String) -> Problem {
        Problem(.badRequest, Code.missingField, "the field \(name) is missing")
    }

    static func unknownChannel(_ id: String) -> Problem {
        Problem(.notFound, Code.unknownChannel, "there is no channel \(id.shown)")
    }
}

extension Problem {
    /// `{"message":"…","code":"…"}`, as Scaledrone's libraries read errors.
    var messageBody: ByteBuffer {
        var body = ByteBuffer(string: "{\"message\":")
        body.writeJSONString(self.detail)
        body.writeString(",\"code\":")
        body.writeJSONString(self.code.word)
        body.writeString("}")
        return body
    }

    /// `application/problem+json`.
    var problemBody: ByteBuffer {
        var body = ByteBuffer(string: "{\"type\":\"about:blank\",\"title\":")
        body.writeJSONString(self.status.reasonPhrase)
        body.writeString(",\"status\":\(self.status.code),\"detail\":")
        body.writeJSONString(self.detail)
        body.writeString(",\"code\":")
        body.writeJSONString(self.code.word)
        body.writeString("}")
        return body
    }
}
