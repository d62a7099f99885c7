import NIOCore
import RoomJSON

/// Reads a room's history through the admin API, page by page.
struct HistoryReader {
    private static let longestPage = 1_000

    private let client: AdminClient
    private let path: [String]

    /// - Parameter path: of the room.
    /// - Throws: where there is no such room, or the broker does not say.
    init(_ client: AdminClient, room path: [String]) async throws(CommandFailure) {
        self.client = client
        self.path = path
        let request = AdminRequest(.get, path)
        let response = try await client.exchange(request)
        if response.status == 200 { return }
        // A room without members can have a history. That of a room that there never was is empty, too, and asking for it
        // makes one: so this comes second.
        if response.status == 404 {
            let history = AdminRequest(.get, path + ["history"], query: [("limit", "1")])
            let head: Head = try await client.send(history).decode()
            if head.seq > 0 { return }
        }
        throw await client.failure(of: response, to: request)
    }

    /// The newest messages below a place, ascending.
    ///
    /// - Parameter before: the seq above them; `nil`: the end of the log.
    func newest(_ limit: Int, before: UInt64?) async throws -> [ByteBuffer] {
        var found: [ByteBuffer] = []
        var before = before
        while found.count < limit {
            let most = min(limit - found.count, Self.longestPage)
            let page = try await self.page(before.map { ("before_seq", "\($0)") }, limit: most)
            found = page.messages + found
            guard page.hasMore, let first = page.messages.first else { break }
            before = try AdminResponse.decode(Place.self, from: first).seq
        }
        return found
    }

    /// Everything above a place, oldest first, until `take` has enough.
    ///
    /// - Parameters:
    ///   - lost: is given the seqs of messages that are damaged in the history file.
    ///   - take: is given each message with its seq; whether it wants more.
    /// - Throws: where the room begins another log meanwhile: then nothing more of this one can be had.
    func forEach(
        after: UInt64,
        lost: (ClosedRange<UInt64>) -> Void = { _ in },
        _ take: (ByteBuffer, UInt64) throws -> Bool
    ) async throws {
        var (after, epoch) = (after, String?.none)
        while true {
            let page = try await self.page(("after_seq", "\(after)"), limit: Self.longestPage)
            guard epoch == nil || epoch == page.epoch else {
                throw CommandFailure(
                    code: .refused,
                    text: "the room was cleared during the command; the output ends with message \(after)"
                )
            }
            epoch = page.epoch
            if let gap = page.gap, gap.fromSeq <= gap.toSeq { lost(gap.fromSeq...gap.toSeq) }
            for message in page.messages {
                after = try AdminResponse.decode(Place.self, from: message).seq
                guard try take(message, after) else { return }
            }
            guard page.hasMore, !page.messages.isEmpty else { return }
        }
    }

    /// The entry of this seq; `nil` where there is none, or not any more.
    func entry(_ seq: UInt64) async throws -> ByteBuffer? {
        guard seq > 0, seq <= UInt64(Int64.max) else { return nil }
        let page = try await self.page(("after_seq", "\(seq - 1)"), limit: 1)
        guard let first = page.messages.first else { return nil }
        return try AdminResponse.decode(Place.self, from: first).seq == seq ? first : nil
    }

    /// How much there is of the room named so.
    func kept(of room: String) async throws -> KeptMessages {
        let request = AdminRequest(.get, self.path + ["history"], query: [("after_seq", "0"), ("limit", "1")])
        let response = try await self.client.exchange(request)
        if response.status != 200, try response.decode(as: AdminProblem.self).code == "history_off" {
            return KeptMessages(room: room, seqs: nil)
        }
        guard response.status == 200 else { throw await self.client.failure(of: response, to: request) }
        let head: Head = try response.decode()
        guard let first = JSONFields.elements(of: "messages", in: response.body).first else {
            return KeptMessages(room: room, seqs: nil)
        }
        let oldest = try AdminResponse.decode(Place.self, from: first).seq
        return KeptMessages(room: room, seqs: oldest...max(oldest, head.seq))
    }

    private func page(_ place: (name: String, value: String)?, limit: Int) async throws -> Page {
        let limit = (name: "limit", value: "\(limit)")
        let query = (place.map { [$0] } ?? []) + [limit]
        let response = try await self.client.send(AdminRequest(.get, self.path + ["history"], query: query))
        let head: Head = try response.decode()
        return Page(
            messages: JSONFields.elements(of: "messages", in: response.body),
            hasMore: head.more,
            gap: head.gap,
            epoch: head.epoch
        )
    }

    private struct Page {
        let messages: [ByteBuffer]
        let hasMore: Bool
        let gap: Gap?
        let epoch: String
    }

    private struct Gap: Decodable {
        let fromSeq: UInt64
        let toSeq: UInt64
    }

    private struct Head: Decodable {
        let more: Bool
        let gap: Gap?
        let epoch: String
        let seq: UInt64
    }

    private struct Place: Decodable {
        let seq: UInt64
    }
}
