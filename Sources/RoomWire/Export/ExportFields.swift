import RoomJSON
import RoomModel

/// The places of the fields of an exported frame in its line.
struct ExportFields {
    private static let shared: Set = ["type", "room", "id", "timestamp", "seq", "client_id", "sender"]
    private static let ofMessages: Set = ["message", "redacted"]
    private static let ofRedactions: Set = ["target_seq", "target_id", "reason"]

    private let bytes: UnsafeRawBufferPointer
    private var places: [String: Range<Int>] = [:]

    /// - Throws: unless the line is one JSON object with fields that a stored frame can have, each once.
    init(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int) throws(RequestError) {
        self.bytes = bytes
        do throws(JSONFault) {
            _ = try JSONScanner.check(bytes, nestingLimit: nestingLimit)
        } catch {
            throw RequestError(error.code, error.text(in: bytes, nestingLimit: nestingLimit))
        }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}"),
            bytes.firstOffset(of: UInt8(ascii: "\r")) == nil, bytes.firstOffset(of: UInt8(ascii: "\n")) == nil
        else { throw Self.fault("a line is one JSON object, from { to }, without blanks around it") }
        try self.readPlaces()
    }

    private mutating func readPlaces() throws(RequestError) {
        var scanner = JSONScanner(self.bytes)
        var repeated: String?
        var names: [String] = []
        do throws(JSONFault) {
            var isFirst = try scanner.openOrSkip()
            while let key = try scanner.nextKey(isFirst) {
                isFirst = false
                let start = scanner.position
                try scanner.skipValue()
                let name = JSONString.text(self.bytes.slice(key.range)) ?? ""
                names.append(name)
                if self.places.updateValue(start..<scanner.position, forKey: name) != nil {
                    repeated = repeated ?? name
                }
            }
        } catch {
            throw RequestError(error.code, error.text(in: self.bytes, nestingLimit: .max))
        }
        if let repeated { throw RequestError(.duplicateField, "\"\(ErrorText.excerpt(repeated))\" stands twice") }
        let isRedaction = try self.isRedaction
        let own = isRedaction ? Self.ofRedactions : Self.ofMessages
        guard let unknown = names.first(where: { !Self.shared.contains($0) && !own.contains($0) }) else { return }
        let entry = isRedaction ? "redaction" : "message"
        throw Self.fault("an exported \(entry) has no field \"\(ErrorText.excerpt(unknown))\"")
    }

    // MARK: Fields

    /// Whether it tells of a redaction, by its type.
    var isRedaction: Bool {
        get throws(RequestError) {
            switch try self.text("type", "publish or message_redacted") {
            case "publish": false
            case "message_redacted": true
            default: throw Self.fault("\"type\" has to be publish or message_redacted")
            }
        }
    }

    var isTombstone: Bool { self.places["redacted"] != nil }

    func range(_ name: String, _ right: String) throws(RequestError) -> Range<Int> {
        guard let place = self.places[name] else {
            throw RequestError(.missingField, "\"\(name)\" is missing; it has to be \(right)")
        }
        return place
    }

    private func text(_ name: String, _ right: String) throws(RequestError) -> String {
        let place = try self.range(name, right)
        guard let text = JSONString.text(at: place, in: self.bytes) else {
            throw Self.fault("\"\(name)\" has to be \(right)")
        }
        return text
    }

    func number(_ name: String, in bounds: ClosedRange<UInt64>) throws(RequestError) -> UInt64 {
        let right = "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        let place = try self.range(name, right)
        guard let number = JSONInteger(self.bytes.slice(place)).flatMap({ UInt64($0) }), bounds.contains(number) else {
            throw Self.fault("\"\(name)\" has to be \(right)")
        }
        return number
    }

    /// The id, which has to be one that a broker has stamped, with the time that it says.
    func stamp() throws(RequestError) -> UniqueID {
        let text = try self.text("id", "a UUIDv7")
        guard let id = UniqueID(text.utf8), id.isVersion7, "\(id)" == text else {
            throw Self.fault("\"id\" has to be a UUIDv7 in small letters, as a broker stamps it")
        }
        let timestamp = try self.number("timestamp", in: 0...(1 << 48))
        guard Int64(timestamp) == id.milliseconds / 1_000 else {
            throw Self.fault("\"timestamp\" has to be the time of the id, \(id.milliseconds / 1_000)")
        }
        return id
    }

    /// The sender has an id, and where it is a member, it is the one that `client_id` names.
    func checkSender() throws(RequestError) {
        let place = try self.range("sender", "an object with an id")
        let sender = self.bytes.slice(place)
        guard sender.first == UInt8(ascii: "{"), let field = JSONFields.range(of: "id", in: sender),
            let id = JSONString.text(at: field, in: sender), !id.isEmpty
        else { throw Self.fault("\"sender\" has to be an object with an id") }
        guard self.places["client_id"] != nil else { return }
        let clientID = try self.text("client_id", "the id of the sender")
        guard clientID == id else {
            throw Self.fault("\"client_id\" has to be the id of the sender, \(ErrorText.excerpt(id))")
        }
    }

    /// The start of the stored bytes: after the type and the room.
    func tailStart() throws(RequestError) -> Int {
        let type = try self.isRedaction ? "message_redacted" : "publish"
        _ = try self.text("room", "the name of a room")
        let room = try self.range("room", "the name of a room")
        let head = "{\"type\":\"\(type)\",\"room\":"
        let start = room.upperBound + 1
        guard room.lowerBound == head.utf8.count, self.bytes.prefix(head.utf8.count).elementsEqual(head.utf8),
            self.bytes[room.upperBound...].starts(with: ",\"id\":\"".utf8)
        else {
            throw Self.fault(
                "a line begins with {\"type\":\"\(type)\",\"room\":…,\"id\":… and has no blanks between them"
            )
        }
        return start
    }

    /// A redaction is of a message that stands before it.
    func checkRedaction(seq: UInt64) throws(RequestError) {
        guard seq > 1 else { throw Self.fault("\"seq\" of a redaction has to be above that of its message") }
        _ = try self.number("target_seq", in: 1...seq - 1)
        let target = try self.text("target_id", "the id of the message")
        guard let id = UniqueID(target.utf8), id.isVersion7 else {
            throw Self.fault("\"target_id\" has to be the id of the message, a UUIDv7")
        }
        if self.places["reason"] != nil { _ = try self.text("reason", "a text") }
    }

    /// A message that was redacted is null and says so.
    func checkTombstone() throws(RequestError) {
        guard let redacted = self.places["redacted"] else { return }
        let message = try self.range("message", "null")
        guard self.bytes.slice(redacted).equals("true"), self.bytes.slice(message).equals("null") else {
            throw Self.fault("\"redacted\" has to be true, and \"message\" null with it")
        }
    }

    private static func fault(_ text: String) -> RequestError { RequestError(.invalidField, text) }
}
