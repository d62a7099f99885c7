package import RoomModel

/// A question for a part of a room's history, as a record has it.
package struct HistoryCommand {
    var origin: Origin
    var request: HistoryRequest
}

extension HistoryCommand: RecordParts {
    package init(placeholder: ()) { self.init(origin: .blank, request: HistoryRequest(room: RoomName(""))) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags("flags of a history request", self.request.limit != nil)
        try visitor.part("origin", &self.origin)
        try visitor.part("room of a history request", &self.request.room)
        try visitor.part("anchor", &self.request.anchor)
        try visitor.count("limit of a history request", &self.request.limit, in: 0...Int.max, if: flags[0])
        try visitor.limit("depth of a history request", &self.request.depth)
    }
}

extension HistoryRequest.Anchor: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self {
        let kind = try reader.byte("anchor of a history request")
        switch kind {
        case 1: return .newest
        case 2: return .before(try reader.number("seq of a history request"))
        case 3: return .after(try reader.number("seq of a history request"))
        default: throw reader.error("anchor of a history request", .unknown("anchor \(kind)"))
        }
    }

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .newest: writer.write(byte: 1)
        case .before(let seq):
            writer.write(byte: 2)
            writer.write(seq)
        case .after(let seq):
            writer.write(byte: 3)
            writer.write(seq)
        }
    }
}
