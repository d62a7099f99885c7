import NIOHTTP1
import Testing

@testable import RoomHTTP

@Suite struct HTTPRequestTests {
    @Test func `blanks behind a value are no part of it`() {
        let headers: HTTPHeaders = ["Authorization": "Bearer T \t", "Accept": "a/b", "X": " \t"]
        let request = HTTPRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers))
        #expect(request.headers[field: "Authorization"] == "Bearer T")
        #expect(request.headers[field: "Accept"] == "a/b" && request.headers[field: "X"] == "")
    }
}
