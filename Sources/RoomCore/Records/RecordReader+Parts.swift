package import RoomModel

/// The parts of which commands consist.
extension RecordReader {
    /// The most shards of a node.
    package static let shards = 0...4_095

    package mutating func room() throws(RecordError) -> RoomKey {
        guard let channel = ChannelID(try self.text("channel")) else {
            throw self.error("channel", .invalid("no channel id"))
        }
        return RoomKey(channel: channel, room: RoomName(try self.text("room")))
    }

    package mutating func node(_ part: StaticString) throws(RecordError) -> NodeNumber {
        NodeNumber(rawValue: UInt32(try self.count(part, of: UInt64(UInt32.max))))
    }

    package mutating func connection() throws(RecordError) -> ConnectionRef {
        let node = try self.node("node of a connection")
        let shard = try self.count("shard of a connection", in: Self.shards)
        let number = try self.number("number of a connection")
        return ConnectionRef(shard: shard, number: number >> 1 | number << 63, node: node)
    }

    package mutating func origin() throws(RecordError) -> Origin {
        let (hasCallback, isQuery) = try self.flags("flags of an origin", 2).two
        let connection = try self.connection()
        return Origin(
            connection: connection,
            callback: hasCallback ? try self.signed("callback") : nil,
            isQuery: isQuery
        )
    }

    package mutating func client(_ part: StaticString) throws(RecordError) -> ClientID { ClientID(try self.text(part)) }

    package mutating func epoch(_ part: StaticString) throws(RecordError) -> Epoch {
        Epoch(rawValue: try self.bits(part))
    }

    package mutating func wireFormat() throws(RecordError) -> WireFormat {
        let byte = try self.byte("wire format")
        guard let format = WireFormat(recorded: byte) else {
            throw self.error("wire format", .unknown("format \(byte)"))
        }
        return format
    }

    package mutating func sender() throws(RecordError) -> Sender {
        let (hasID, hasAuthData) = try self.flags("flags of a sender", 2).two
        let id = hasID ? try self.client("client of a sender") : nil
        let json = try self.data("sender")
        let bare = hasAuthData ? try self.data("sender without authData") : nil
        return Sender(clientID: id, json: json, jsonWithoutAuthData: bare)
    }

    package mutating func author() throws(RecordError) -> Author {
        let kind = try self.byte("author")
        switch kind {
        case 1: return .user(try self.text("user of an author"))
        case 2:
            let high = try self.bits("network of an author")
            return .network(IPAddress(high: high, low: try self.bits("network of an author")))
        case 3: return .client(try self.client("client of an author"))
        case 4: return .local
        default: throw self.error("author", .unknown("author \(kind)"))
        }
    }

    package mutating func textMark() throws(RecordError) -> TextMark {
        TextMark(hash: try self.bits("hash of a text"), count: try self.count("length of a text"))
    }

    package mutating func ids() throws(RecordError) -> IDSequence {
        let milliseconds = try self.time("time of the ids")
        let sequence = try self.count("sequence of the ids", of: 0x1000) - 1
        return IDSequence(milliseconds: milliseconds, sequence: sequence, seed: try self.bits("seed of the ids"))
    }
}
