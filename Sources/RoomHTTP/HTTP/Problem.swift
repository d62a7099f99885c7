package import HTTPTypes
package import RoomModel

/// An error of the admin API, as problem details (RFC 9457): `{"type":"about:blank","title","status","detail","code"}`.
package struct Problem: Error, Equatable, Sendable {
    package var status: HTTPResponse.Status
    /// The stable word that programs go by.
    package var code: ProblemCode
    /// What was wrong and what would be right.
    package var detail: String
    /// What the status asks for beside the body: `Allow`, `WWW-Authenticate`, `Retry-After`.
    package var headers: HTTPFields

    package init(
        _ status: HTTPResponse.Status,
        _ code: ProblemCode,
        _ detail: String,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    package init(_ status: HTTPResponse.Status, _ code: Code, _ detail: String, headers: HTTPFields = [:]) {
        self.init(status, ProblemCode(code), detail, headers: headers)
    }
}
