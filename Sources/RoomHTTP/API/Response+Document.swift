import HTTPTypes
import Hummingbird
import NIOCore
import RoomCore
import RoomJSON

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
