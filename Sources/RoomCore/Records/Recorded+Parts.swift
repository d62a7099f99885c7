package import NIOCore
package import RoomModel

/// A number, short where it is small.
extension UInt64: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> UInt64 {
        try reader.number(part)
    }

    package func write(to writer: inout RecordWriter) { writer.write(self) }
}

/// A number, short where it is small.
extension UInt32: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> UInt32 {
        UInt32(try reader.count(part, of: UInt64(UInt32.max)))
    }

    package func write(to writer: inout RecordWriter) { writer.write(UInt64(self)) }
}

/// A number of either sign, short where it is near 0 (zigzag).
extension Int64: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Int64 {
        try reader.signed(part)
    }

    package func write(to writer: inout RecordWriter) { writer.write(signed: self) }
}

/// All 64 bits.
struct Bits: Recorded {
    var value: UInt64

    static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Bits {
        Bits(value: try reader.bits(part))
    }

    func write(to writer: inout RecordWriter) { writer.write(bits: self.value) }
}

extension String: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> String {
        try reader.text(part)
    }

    package func write(to writer: inout RecordWriter) { writer.write(text: self) }
}

extension ByteBuffer: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> ByteBuffer {
        try reader.data(part)
    }

    package func write(to writer: inout RecordWriter) { writer.write(bytes: self) }
}

extension UniqueID: Recorded {
    static let blank = UniqueID(high: 0, low: 0)

    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> UniqueID {
        try reader.id(part)
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(bits: self.high)
        writer.write(bits: self.low)
    }
}

extension Epoch: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Epoch {
        Epoch(rawValue: try reader.bits(part))
    }

    package func write(to writer: inout RecordWriter) { writer.write(bits: self.rawValue) }
}

extension Duration: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Duration {
        let (seconds, attoseconds) = (try reader.signed(part), try reader.signed(part))
        let second: Int64 = 1_000_000_000_000_000_000
        let haveOneSign = attoseconds == 0 || seconds == 0 || (attoseconds < 0) == (seconds < 0)
        try reader.check(part, -second < attoseconds && attoseconds < second && haveOneSign, "no time")
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(signed: self.components.seconds)
        writer.write(signed: self.components.attoseconds)
    }
}

extension ClientID: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> ClientID {
        ClientID(try reader.text(part))
    }

    package func write(to writer: inout RecordWriter) { writer.write(text: self.text) }
}

extension RoomName: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> RoomName {
        RoomName(try reader.text(part))
    }

    package func write(to writer: inout RecordWriter) { writer.write(text: self.text) }
}

extension RoomKey: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> RoomKey {
        guard let channel = ChannelID(try reader.text("channel")) else {
            throw reader.error("channel", .invalid("no channel id"))
        }
        return RoomKey(channel: channel, room: try reader.read("room"))
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(text: self.channel.text)
        writer.write(self.room)
    }
}

extension NodeNumber: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> NodeNumber {
        NodeNumber(rawValue: try reader.read(part))
    }

    package func write(to writer: inout RecordWriter) { writer.write(self.rawValue) }
}

/// A number of an `ExternalRequests` has its highest bit set: turned, it is short too.
extension ConnectionRef: Recorded {
    static let blank = ConnectionRef(shard: 0, number: 0)

    /// The most shards of a node.
    package static let shards = 0...4_095

    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self {
        let node: NodeNumber = try reader.read("node of a connection")
        let shard = try reader.count("shard of a connection", in: Self.shards)
        let number = try reader.number("number of a connection")
        return ConnectionRef(shard: shard, number: number >> 1 | number << 63, node: node)
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(self.node)
        writer.write(count: self.shard)
        writer.write(self.number << 1 | self.number >> 63)
    }
}

extension Origin: Recorded {
    static let blank = Origin(connection: .blank, callback: nil)

    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Origin {
        let (hasCallback, isQuery) = try reader.flags("flags of an origin", 2).two
        let connection: ConnectionRef = try reader.read("connection of an origin")
        let callback = hasCallback ? try reader.signed("callback") : nil
        return Origin(connection: connection, callback: callback, isQuery: isQuery)
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(flags: self.callback != nil, self.isQuery)
        writer.write(self.connection)
        if let callback = self.callback { writer.write(signed: callback) }
    }
}

extension Sender: Recorded {
    static let blank = Sender(clientID: nil, json: ByteBuffer())

    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Sender {
        let (hasID, hasAuthData) = try reader.flags("flags of a sender", 2).two
        let id: ClientID? = hasID ? try reader.read("client of a sender") : nil
        let json = try reader.data("sender")
        let bare = hasAuthData ? try reader.data("sender without authData") : nil
        return Sender(clientID: id, json: json, jsonWithoutAuthData: bare)
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(flags: self.clientID != nil, self.jsonWithoutAuthData != nil)
        if let id = self.clientID { writer.write(id) }
        writer.write(bytes: self.json)
        if let json = self.jsonWithoutAuthData { writer.write(bytes: json) }
    }
}

extension Author: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Author {
        let kind = try reader.byte("author")
        switch kind {
        case 1: return .user(try reader.text("user of an author"))
        case 2:
            let high = try reader.bits("network of an author")
            return .network(IPAddress(high: high, low: try reader.bits("network of an author")))
        case 3: return .client(try reader.read("client of an author"))
        case 4: return .local
        default: throw reader.error("author", .unknown("author \(kind)"))
        }
    }

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .user(let user):
            writer.write(byte: 1)
            writer.write(text: user)
        case .network(let address):
            writer.write(byte: 2)
            writer.write(bits: address.high)
            writer.write(bits: address.low)
        case .client(let client):
            writer.write(byte: 3)
            writer.write(client)
        case .local: writer.write(byte: 4)
        }
    }
}

extension TextMark: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> TextMark {
        TextMark(hash: try reader.bits("hash of a text"), count: try reader.count("length of a text"))
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(bits: self.hash)
        writer.write(count: self.count)
    }
}

extension IDSequence: Recorded {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> IDSequence {
        let milliseconds = try reader.time("time of the ids")
        let sequence = try reader.count("sequence of the ids", of: 0x1000) - 1
        return IDSequence(milliseconds: milliseconds, sequence: sequence, seed: try reader.bits("seed of the ids"))
    }

    package func write(to writer: inout RecordWriter) {
        writer.write(UInt64(bitPattern: self.milliseconds))
        // from -1
        writer.write(count: self.sequence + 1)
        writer.write(bits: self.state)
    }
}

/// A case that records have as a byte.
package protocol RecordedCase: CaseIterable, Recorded {
    /// Never used for another case.
    var recorded: UInt8 { get }
}

extension RecordedCase {
    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> Self {
        let byte = try reader.byte(part)
        guard let value = Self.allCases.first(where: { $0.recorded == byte }) else {
            throw reader.error(part, .unknown("value \(byte)"))
        }
        return value
    }

    package func write(to writer: inout RecordWriter) { writer.write(byte: self.recorded) }
}

extension WireFormat: RecordedCase {
    package var recorded: UInt8 {
        switch self {
        case .jsonLines: 1
        case .textLines: 2
        case .webSocket: 3
        case .events: 4
        }
    }
}

extension OverflowPolicy: RecordedCase {
    package var recorded: UInt8 {
        switch self {
        case .disconnect: 1
        case .dropOldest: 2
        case .latest: 3
        }
    }
}
