import NIOCore
import RoomAdmin
import RoomJSON

/// Reads a room's history through the admin API, page by page.
struct HistoryReader {
    private static let longestPage = 1_000

    private let client: AdminSession
    private let room: String
    private let channel: String

    /// - Throws: where there is no such room, or the broker does not say.
    init(_ client: AdminSession, _ room: RoomOptions) async throws(CommandFailure) {
        self.client = client
        self.room = room.name
        self.channel = room.channel.channel
        _ = try await client.send(.room(self.room, in: self.channel))
    }

    static func sayDamaged(_ seqs: ClosedRange<UInt64>) {
        CommandFailure.say("messages \(seqs.lowerBound) to \(seqs.upperBound) are damaged in the history file")
    }

    /// The newest messages below a place, ascending.
    ///
    /// - Parameters:
    ///   - before: the seq above them; `nil`: the end of the log.
    ///   - lost: is given the seqs of messages that are damaged in the history file.
    func newest(
        _ limit: Int,
        before: UInt64?,
        lost: (ClosedRange<UInt64>) -> Void
    ) async throws -> [ByteBuffer] {
        var found: [ByteBuffer] = []
        var before = before
        while found.count < limit {
            let most = min(limit - found.count, Self.longestPage)
            let page = try await self.page(before: before, limit: most)
            if let seqs = page.lost { lost(seqs) }
            found = page.entries + found
            guard page.hasMore, let first = page.entries.first else { break }
            before = try AdminHistoryPage.seq(of: first)
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
        let pages = self.client.client.history(of: self.room, in: self.channel, after: after)
        do {
            for try await page in pages {
                if let seqs = page.lost { lost(seqs) }
                for entry in page.entries {
                    guard try take(entry, try AdminHistoryPage.seq(of: entry)) else { return }
                }
            }
        } catch let error as AdminError {
            let request = AdminCall.history(of: self.room, in: self.channel).request
            throw error.status == nil
                ? CommandFailure(error, from: self.client.address) : await self.client.failure(error, of: request)
        }
    }

    /// The entry of this seq; `nil` where there is none, or not any more.
    func entry(_ seq: UInt64) async throws -> ByteBuffer? {
        guard seq > 0, seq <= UInt64(Int64.max) else { return nil }
        let page = try await self.page(after: seq - 1, limit: 1)
        guard let first = page.entries.first else { return nil }
        return try AdminHistoryPage.seq(of: first) == seq ? first : nil
    }

    /// How much there is of the room.
    func kept() async throws -> KeptMessages {
        let call = AdminCall.history(of: self.room, in: self.channel, after: 0, limit: 1)
        let page: AdminHistoryPage
        do throws(AdminError) {
            page = try await self.client.client.send(call)
        } catch {
            guard error.code == .historyOff else { throw await self.client.failure(error, of: call.request) }
            return KeptMessages(room: self.room, seqs: nil)
        }
        guard let first = page.entries.first else { return KeptMessages(room: self.room, seqs: nil) }
        let oldest = try AdminHistoryPage.seq(of: first)
        return KeptMessages(room: self.room, seqs: oldest...max(oldest, page.seq))
    }

    private func page(
        after: UInt64? = nil,
        before: UInt64? = nil,
        limit: Int
    ) async throws(CommandFailure) -> AdminHistoryPage {
        try await self.client.send(
            .history(of: self.room, in: self.channel, after: after, before: before, limit: limit)
        )
    }
}
