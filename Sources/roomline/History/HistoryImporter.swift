import NIOCore
import RoomAdmin
import RoomWire

/// Sends lines of an export to a room, many in one request.
struct HistoryImporter {
    private let client: AdminSession
    private let file: String
    private let clearing: String
    private let room: String
    private let channel: String
    private let partBytes: Int
    private var part = ByteBuffer()
    private var lines = 0
    /// Lines of the file that were sent.
    private var linesBefore = 0
    private var receipt: ImportedPart?

    /// - Parameters:
    ///   - file: where the lines come from, for messages.
    ///   - clearing: the command that clears it.
    ///   - partBytes: how much is sent at once.
    init(_ client: AdminSession, file: String, room: String, channel: String, clearing: String, partBytes: Int) {
        self.client = client
        self.file = file
        self.room = room
        self.channel = channel
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
    mutating func finish() async throws(CommandFailure) -> ImportedPart {
        if self.part.readableBytes > 0 { try await self.send() }
        guard let receipt else { throw CommandFailure(code: .refused, text: "there is nothing to import") }
        return receipt
    }

    private mutating func send() async throws(CommandFailure) {
        do throws(CommandFailure) {
            self.receipt = try await self.client.send(
                .importPart(self.part, to: self.room, in: self.channel, after: self.receipt)
            )
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
