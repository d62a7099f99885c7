import RoomCore
import RoomModel

/// The connections of one shard: by number, and from their handshake on by the client that each is.
struct ConnectionTable {
    private var connections: [UInt64: Connection] = [:]
    /// The numbers of those that have had their handshake.
    private var clients: [ChannelID: [ClientID: UInt64]] = [:]
    private var lastNumber: UInt64 = 0
    var unread = ConnectionBytes()
    var input = ConnectionBytes()

    var count: Int { self.connections.count }
    /// In no order.
    var all: some Collection<Connection> { self.connections.values }
    /// In the order of connecting.
    var numbers: [UInt64] { self.connections.keys.sorted() }
    /// In no order.
    var unsortedNumbers: [UInt64] { Array(self.connections.keys) }

    subscript(number: UInt64) -> Connection? { self.connections[number] }

    /// The connection of a client; after a resume the newest one.
    func connection(of client: ClientID, in channel: ChannelID) -> Connection? {
        self.clients[channel]?[client].flatMap { self.connections[$0] }
    }

    /// The connections that have had their handshake, in no order.
    func numbers(in channel: ChannelID) -> [UInt64] {
        guard let all = self.clients[channel] else { return [] }
        // by index: to walk the pairs touches each key, which takes ten times as long
        return all.values.indices.map { all.values[$0] }
    }

    /// Those of these clients that are connected, in no order.
    func numbers(of clients: some Collection<ClientID>, in channel: ChannelID) -> [UInt64] {
        guard !clients.isEmpty, let all = self.clients[channel] else { return [] }
        return clients.compactMap { all[$0] }
    }

    mutating func nextNumber() -> UInt64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    mutating func add(_ connection: Connection) {
        self.connections[connection.ref.number] = connection
    }

    /// From its handshake on it is one of the channel's.
    mutating func entered(_ number: UInt64, as client: ClientID, in channel: ChannelID) {
        self.clients[channel, default: [:]][client] = number
    }

    /// - Returns: whether it was there.
    mutating func remove(_ number: UInt64) -> Bool {
        self.unread.set(0, of: number)
        self.input.set(0, of: number)
        return self.connections.removeValue(forKey: number) != nil
    }

    /// The client's connection with this number is gone.
    mutating func left(_ number: UInt64, as client: ClientID, in channel: ChannelID) {
        // not where another connection has resumed the session
        if self.clients[channel]?[client] == number { self.clients[channel]?[client] = nil }
        if self.clients[channel]?.isEmpty ?? false { self.clients[channel] = nil }
    }
}
