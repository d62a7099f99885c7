import NIOCore
import RoomJSON
import RoomWire

/// Sends lines of an export to a room, many in one request.
struct HistoryImporter {
    /// The broker's answer to a part.
    struct Receipt: Decodable, Equatable, Sendable {
        let epoch: String
        let seq: UInt64
        let oldestSeq: UInt64
    }

    private let client: AdminClient
    private let file: String
    private let clearing: String
    private let path: [String]
    private let partBytes: Int
    private var part = ByteBuffer()
    private var lines = 0
    /// Lines of the file that were sent.
    private var linesBefore = 0
    private var receipt: Receipt?

    /// - Parameters:
    ///   - file: where the lines come from, for messages.
    ///   - path: of the room.
    ///   - clearing: the command that clears it.
    ///   - partBytes: how much is sent at once.
    init(_ client: AdminClient, file: String, path: [String], clearing: String, partBytes: Int) {
        self.client = client
        self.file = file
        self.path = path
        self.clearing = clearing
        self.partBytes = partBytes
    }

    mutating func add(_ line: ByteBuffer, _ entry: ExportedEntry) async throws(CommandFailure) {
        if self.part.readableBytes > 0, self.part.readableBytes + line.readableBytes > self.partBytes {
            try await self.send()
        }
        self.part.writeImmutableBuffer(line)
        self.part.writeString("\n")
        self.lines += 1
    }

    /// Sends the rest; what the broker said last.
    mutating func finish() async throws(CommandFailure) -> Receipt {
        if self.part.readableBytes > 0 { try await self.send() }
        guard let receipt else { throw CommandFailure(code: .refused, text: "there is nothing to import") }
        return receipt
    }

    private mutating func send() async throws(CommandFailure) {
        var request = AdminRequest(.post, self.path + ["history"], body: .verbatim(self.part))
        request.contentType = "application/x-ndjson"
        if let receipt { request.query = [("epoch", receipt.epoch), ("after_seq", "\(receipt.seq)")] }
        do throws(CommandFailure) {
            self.receipt = try await self.client.send(request).decode()
        } catch {
            let text = ImportRefusal(file: self.file, linesBefore: self.linesBefore).text(error.text)
            guard let receipt else { throw CommandFailure(code: error.code, text: text) }
            throw CommandFailure(
                code: error.code,
                text: "\(text); messages up to \(receipt.seq) are in the room; run \"\(self.clearing)\", "
                    + "and import again"
            )
        }
        self.part = ByteBuffer()
        self.linesBefore += self.lines
        self.lines = 0
    }
}

/// The broker's refusal of a part of a file, told as one of the file.
struct ImportRefusal {
    private static let prefix = "line "

    let file: String
    /// How many lines of it come before the part.
    let linesBefore: Int

    /// - Parameter detail: may begin with `line N:`, counted from the beginning of the part.
    func text(_ detail: String) -> String {
        guard detail.hasPrefix(Self.prefix), let colon = detail.firstIndex(of: ":"),
            let line = Int(detail.dropFirst(Self.prefix.count).prefix { $0 != ":" })
        else { return detail }
        return "\(self.file), line \(self.linesBefore + line)\(detail[colon...])"
    }
}
