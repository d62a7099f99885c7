package import RoomModel

/// The parts of which commands consist.
extension RecordWriter {
    package mutating func write(_ room: RoomKey) {
        self.write(text: room.channel.text)
        self.write(text: room.room.text)
    }

    /// A number of an `ExternalRequests` has its highest bit set: turned, it is short too.
    package mutating func write(_ connection: ConnectionRef) {
        self.write(connection.node.rawValue)
        self.write(count: connection.shard)
        self.write(connection.number << 1 | connection.number >> 63)
    }

    package mutating func write(_ origin: Origin) {
        self.write(flags: origin.callback != nil, origin.isQuery)
        self.write(origin.connection)
        if let callback = origin.callback { self.write(signed: callback) }
    }

    package mutating func write(_ sender: Sender) {
        self.write(flags: sender.clientID != nil, sender.jsonWithoutAuthData != nil)
        if let id = sender.clientID { self.write(text: id.text) }
        self.write(bytes: sender.json)
        if let json = sender.jsonWithoutAuthData { self.write(bytes: json) }
    }

    package mutating func write(_ author: Author) {
        switch author {
        case .user(let user):
            self.write(byte: 1)
            self.write(text: user)
        case .network(let address):
            self.write(byte: 2)
            self.write(bits: address.high)
            self.write(bits: address.low)
        case .client(let client):
            self.write(byte: 3)
            self.write(text: client.text)
        case .local: self.write(byte: 4)
        }
    }

    package mutating func write(_ text: TextMark) {
        self.write(bits: text.hash)
        self.write(count: text.count)
    }

    package mutating func write(_ ids: IDSequence) {
        self.write(UInt64(bitPattern: ids.milliseconds))
        // from -1
        self.write(count: ids.sequence + 1)
        self.write(bits: ids.state)
    }
}

extension WireFormat {
    package var recorded: UInt8 {
        switch self {
        case .jsonLines: 1
        case .textLines: 2
        case .webSocket: 3
        case .events: 4
        }
    }

    init?(recorded: UInt8) {
        guard let format = Self.allCases.first(where: { $0.recorded == recorded }) else { return nil }
        self = format
    }
}

extension OverflowPolicy {
    package var recorded: UInt8 {
        switch self {
        case .disconnect: 1
        case .dropOldest: 2
        case .latest: 3
        }
    }

    init?(recorded: UInt8) {
        guard let policy = Self.allCases.first(where: { $0.recorded == recorded }) else { return nil }
        self = policy
    }
}
