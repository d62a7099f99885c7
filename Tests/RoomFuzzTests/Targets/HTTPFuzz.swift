import Foundation
import NIOCore
import NIOHTTP1
import RoomDelivery
import RoomModel
import RoomWire

@testable import RoomHTTP

/// Targets and headers of requests: a percent-encoded text is what Foundation takes it for, a route is the same when it is
/// written again, and no path or header stops the broker.
enum HTTPFuzz: FuzzTarget {
    static let name = "http"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let text = bytes.text
        try self.checkPercentEncoding(text)
        try self.checkRoute(text)
        try self.checkQueries(text)
        try self.checkHeads(text)
        let cursor = PageCursor.text(text)
        try demand(text.isEmpty || PageCursor.place(cursor) == text, "the cursor \(cursor)")
        if let place = PageCursor.place(text) {
            try demand(PageCursor.place(PageCursor.text(place)) == place, "the place \(place)")
        }
    }

    private static func checkPercentEncoding(_ text: String) throws {
        let ours = try? PercentEncoding.decode(text[...])
        let foundation = text.removingPercentEncoding
        // On Linux it mends what is not UTF-8, which we refuse.
        if ours == nil, foundation?.unicodeScalars.contains("\u{fffd}") == true { return }
        try demand(
            ours.map { Array($0.utf8) } == foundation.map { Array($0.utf8) },
            "Foundation decodes it as \(String(describing: foundation)), we as \(String(describing: ours))"
        )
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func checkRoute(_ path: String) throws {
        let limits = FrameLimits()
        let route: RESTRoute
        do throws(Problem) {
            route = try RESTRoute(path, limits: limits)
        } catch {
            return
        }
        let channel = self.encoded(route.channel)
        let again: String =
            switch route.target {
            case .publish(let room): "/\(channel)/\(self.encoded(room.text))/publish"
            case .publishMany(let rooms):
                "/\(channel)/publish/rooms?" + rooms.map { "r=\(self.encoded($0.text))" }.joined(separator: "&")
            case .stats: "/\(channel)/stats"
            case .members: "/\(channel)/members"
            case .rooms: "/\(channel)/rooms"
            case .roomMembers: "/\(channel)/room-members"
            case .membersOfRoom(let room): "/\(channel)/\(self.encoded(room.text))/members"
            }
        try demand(try RESTRoute(again, limits: limits) == route, "\(path) is, as \(again), another route")
    }

    private static func checkQueries(_ text: String) throws {
        // What is refused is no query, which is all that there is to say about it.
        let room = try? EventStreamQuery(text).room(lastEventID: text, token: nil, limits: FrameLimits())
        if let data = room?.handshake.clientData {
            try demand(try FrameDecoder(limits: FrameLimits()).value(data) == data, "the data of a member")
        }
        if let query = try? AdminQuery(text, known: ["limit", "before", "q", "since"]) {
            let limit = try? query.limit
            try demand(limit.map { AdminQuery.pageLimits ~= $0 } ?? true, "a page of \(String(describing: limit))")
            _ = try? query.number("since", in: 0...Int64.max)
            _ = try? query.cursor("before")
            _ = try? query.text("q", of: 1...200)
        }
    }

    private static func checkHeads(_ text: String) throws {
        if let authority = HTTPAuthority(text) {
            let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
            let written = host + (authority.port.map { ":\($0)" } ?? "")
            try demand(HTTPAuthority(written) == authority, "\(text) is, as \(written), another host")
        }
        _ = HostRule.loopback(and: ["chat.example"]).allows(text)
        _ = WebPage(origin: text, host: "localhost:8080", isOnThisMachineOnly: true)?.isOwn(withTLS: false)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: lines.removeFirst())
        for line in lines {
            let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // The parser lets no other names through.
            if sides.count == 2, sides[0].utf8.allSatisfy({ $0 < 0x80 }) {
                head.headers.add(name: sides[0], value: sides[1])
            }
        }
        if let fault = HTTPRequestCheck.fault(in: head, limits: HTTPLimits()) {
            try demand(fault.detail.isOneSafeLine, "a problem of more than one line")
        }
        _ = WebSocketAnswer(head, hasBody: false)
    }
}
