package import NIOCore
import RoomJSON
package import RoomModel

/// A line as other tools write one: with blanks, in any order, without what an import can make. It becomes one of an export.
package struct LooseLine {
    private static let fields = [
        "type", "room", "epoch", "id", "seq", "time", "timestamp", "client_id", "name", "sender", "message", "redacted",
    ]
    private static let redactionFields = ["target_seq", "target_id", "reason"]
    private static let nesting = 1_024

    private let line: ByteBuffer
    private let tree: JSONTree

    /// - Throws: where it is not JSON object, or has a field that the import would lose.
    package init(_ line: ByteBuffer) throws(RequestError) {
        self.line = line
        self.tree = try JSONTree.read(line, nestingLimit: Self.nesting)
        guard case .object(let fields) = self.tree else {
            throw RequestError(.invalidField, "a line is one JSON object")
        }
        let known = try Self.fields + (self.isRedaction ? Self.redactionFields : [])
        guard let unknown = fields.first(where: { !known.contains($0.name) }) else { return }
        throw RequestError(
            .invalidField,
            "an import has no field \(unknown.name.shown); it has \(known.joined(separator: ", "))"
        )
    }

    /// The same as a line of an export.
    ///
    /// - Parameters:
    ///   - last: the line before. A message without a time has the same.
    ///   - start: Unix milliseconds, for a first message that has no time.
    ///   - random: for an id that has to be made.
    ///   - readTime: the Unix seconds of a text as RFC 3339 has it; `nil` where it is none.
    package func exported(
        after last: ExportedEntry?,
        start: Int64,
        random: UInt64,
        readTime: (String) -> Double?
    ) throws(RequestError) -> ByteBuffer {
        let id = try self.id(after: last?.id, start: start, random: random, readTime)
        var fields: [JSONTree.Field] = [
            .init("type", .string(try self.isRedaction ? "message_redacted" : "publish")),
            .init("room", .string(try self.text("room") ?? "imported")), .init("id", .string("\(id)")),
            .init("timestamp", self.tree["timestamp"].flatMap(self.whole) ?? .integer(id.milliseconds / 1_000)),
            .init("seq", self.tree["seq"] ?? .integer((last?.seq ?? 0) + 1)),
        ]
        if let client = try self.text("client_id") { fields.append(.init("client_id", .string(client))) }
        fields.append(.init("sender", try self.sender()))
        if try self.isRedaction {
            for name in Self.redactionFields {
                if let value = self.tree[name] { fields.append(.init(name, value)) }
            }
        } else {
            guard let message = self.verbatim("message") else {
                throw RequestError(.missingField, "\"message\" is missing; it has to be a JSON value")
            }
            fields.append(.init("message", message))
            if let redacted = self.tree["redacted"] { fields.append(.init("redacted", redacted)) }
        }
        return JSONTree.object(fields).bytes
    }

    /// The Unix milliseconds of its id or time; `nil` where it has neither.
    ///
    /// - Parameter readTime: the Unix seconds of a text as RFC 3339 has it; `nil` where it is none.
    package func time(readTime: (String) -> Double?) throws(RequestError) -> Int64? {
        if let id = try self.givenID() { return id.milliseconds }
        return try self.milliseconds(readTime)
    }

    private var isRedaction: Bool {
        get throws(RequestError) {
            switch try self.text("type") {
            case nil, "publish", "message": false
            case "message_redacted": true
            case let type?: throw RequestError(.invalidField, "a line of the type \(type.shown) is not a message")
            }
        }
    }

    /// The id of the line, or one of its time.
    private func id(
        after last: UniqueID?,
        start: Int64,
        random: UInt64,
        _ readTime: (String) -> Double?
    ) throws(RequestError) -> UniqueID {
        if let id = try self.givenID() { return id }
        let fresh = try self.milliseconds(readTime) ?? last?.milliseconds ?? start
        guard let last, fresh <= last.milliseconds else {
            // Half of the range stays free for those that come in the same millisecond.
            return UniqueID(milliseconds: fresh, sequence: 0, random: random >> 1)
        }
        guard fresh / 1_000 == last.milliseconds / 1_000 else {
            throw RequestError(.invalidField, "the time is before that of the line before: sort the lines by time")
        }
        return UniqueID(high: last.high, low: last.low + 1)
    }

    private func givenID() throws(RequestError) -> UniqueID? {
        guard let text = try self.text("id") else { return nil }
        guard let id = UniqueID(text.utf8), id.isVersion7 else {
            throw RequestError(.invalidField, "\"id\" has to be a UUIDv7; without it, the import makes one")
        }
        return id
    }

    /// The time of the line: `time` as RFC 3339 has it, or `timestamp`, Unix seconds.
    private func milliseconds(_ readTime: (String) -> Double?) throws(RequestError) -> Int64? {
        if let text = try self.text("time") {
            guard let seconds = readTime(text) else {
                throw RequestError(.invalidField, "\"time\" has to be like 2026-11-21T15:12:07Z")
            }
            return try Self.checked(seconds)
        }
        guard let timestamp = self.tree["timestamp"] else { return nil }
        guard case .number(let digits) = timestamp, let seconds = Double(digits) else {
            throw RequestError(.invalidField, "\"timestamp\" has to be Unix seconds")
        }
        return try Self.checked(seconds)
    }

    private static func checked(_ seconds: Double) throws(RequestError) -> Int64 {
        // 48 bits of milliseconds are what an id has room for.
        guard seconds >= 0, seconds < 1e11 else {
            throw RequestError(.invalidField, "the time has to be Unix seconds, from 1970 on")
        }
        return Int64((seconds * 1_000).rounded())
    }

    /// A timestamp that needs no rounding; one with a fraction is told by the id.
    private func whole(_ timestamp: JSONTree) -> JSONTree? {
        guard case .number(let digits) = timestamp, Int64(digits) != nil else { return nil }
        return timestamp
    }

    /// An object with an id as it stands; a name becomes a sender of that name.
    private func sender() throws(RequestError) -> JSONTree {
        if case .object? = self.tree["sender"] { return self.verbatim("sender") ?? .null }
        var name = try self.text("sender")
        if name == nil { name = try self.text("name") }
        let id = try self.text("client_id") ?? name ?? "import"
        let data = name.map { [JSONTree.Field("clientData", .object([.init("name", .string($0))]))] } ?? []
        return .object([.init("id", .string(id))] + data)
    }

    private func text(_ name: String) throws(RequestError) -> String? {
        switch self.tree[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw RequestError(.invalidField, "\"\(name)\" has to be a text")
        }
    }

    /// Byte for byte.
    private func verbatim(_ name: StaticString) -> JSONTree? {
        guard let range = JSONFields.range(of: name, in: self.line) else { return nil }
        return self.line.getSlice(at: self.line.readerIndex + range.lowerBound, length: range.count)
            .map { .verbatim($0) }
    }
}
