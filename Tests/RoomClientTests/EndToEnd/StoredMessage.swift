import RoomTestKit

/// A message as the broker's history has it: asked for with a client of its own.
struct StoredMessage: Hashable, Sendable {
    let seq: UInt64
    let id: String
    let text: String

    /// The whole history of a room, page by page.
    ///
    /// - Parameter token: what it is asked for with.
    static func all(of room: String, port: Int, token: String? = nil) async throws -> [StoredMessage] {
        try await RawClient.with(port: port, token: token) { client in
            var all: [StoredMessage] = []
            while true {
                let after = all.last?.seq ?? 0
                let page = try await client.ask(
                    #""type":"history","room":"\#(room)","limit":1000,"after_seq":\#(after)"#
                )
                all += (page.list("messages") ?? []).compactMap { StoredMessage($0) }
                guard page.flag("more") ?? false else { return all }
            }
        }
    }

    private init?(_ frame: ReceivedFrame) {
        guard let seq = frame.seq, let id = frame.text("id"), let text = frame.message else { return nil }
        self.init(seq: UInt64(seq), id: id, text: text)
    }

    init(seq: UInt64, id: String, text: String) {
        self.seq = seq
        self.id = id
        self.text = text
    }
}
