import NIOCore
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

/// What a node asks another one, as JSON. A version that does not know a question does not answer it.
enum NodeRequest: Equatable {
    /// For the session of a token, which the other node gives up.
    case session(token: String, ChannelID)
    /// For what the other node says of itself.
    case figures
    /// That it lets a client go from the whole channel.
    case expel(ClientID, ChannelID, reason: String?)
    /// For the nodes that it has heard, and the clients that were let go.
    case past
    /// That it answers when it has applied the log of a partition through a place.
    case applied(partition: Int, LogOffset)
    /// For what it knows of its own clients.
    case query(NodeQuery)

    var bytes: ByteBuffer {
        let fields: [JSONTree.Field] =
            switch self {
            case .session(let token, let channel):
                [
                    .init("ask", .string("session")), .init("token", .string(token)),
                    .init("channel", .string(channel.text)),
                ]
            case .figures: [.init("ask", .string("figures"))]
            case .expel(let client, let channel, let reason):
                [
                    .init("ask", .string("kick")), .init("client_id", .string(client.text)),
                    .init("channel", .string(channel.text)), .init("reason", .optional(reason) { .string($0) }),
                ]
            case .past: [.init("ask", .string("past"))]
            case .applied(let partition, let place):
                [
                    .init("ask", .string("applied")), .init("partition", .integer(UInt64(partition))),
                    .init("place", .integer(place.rawValue)),
                ]
            case .query(let query): Self.fields(query)
            }
        return JSONTree.object(fields).bytes
    }

    private static func fields(_ query: NodeQuery) -> [JSONTree.Field] {
        switch query {
        case .statistics: [.init("ask", .string("statistics"))]
        case .clients(let channel): [.init("ask", .string("clients")), .init("channel", .string(channel.text))]
        case .members(let clients, let room):
            [
                .init("ask", .string("members")), .init("channel", .string(room.channel.text)),
                .init("room", .string(room.room.text)), .init("clients", .array(clients.map { .string($0.text) })),
            ]
        case .trace(let id, let room):
            [
                .init("ask", .string("trace")), .init("channel", .string(room.channel.text)),
                .init("room", .string(room.room.text)), .init("id", .string("\(id)")),
            ]
        }
    }

    private static func query(_ word: String, _ tree: JSONTree) -> NodeQuery? {
        if word == "statistics" { return .statistics }
        guard let channel = tree["channel"]?.stringValue.flatMap({ ChannelID($0) }) else { return nil }
        if word == "clients" { return .clients(of: channel) }
        guard let room = tree["room"]?.stringValue.map({ RoomKey(channel: channel, room: RoomName($0)) }) else {
            return nil
        }
        switch word {
        case "members":
            guard case .array(let clients)? = tree["clients"] else { return nil }
            return .members(clients.compactMap { $0.stringValue.map { ClientID($0) } }, of: room)
        case "trace": return tree["id"]?.stringValue.flatMap { UniqueID($0.utf8) }.map { .trace($0, in: room) }
        default: return nil
        }
    }

    /// `nil`: it is none that this version knows.
    init?(_ bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes), let word = tree["ask"]?.stringValue else { return nil }
        let channel = tree["channel"]?.stringValue.flatMap { ChannelID($0) }
        switch word {
        case "session":
            guard let token = tree["token"]?.stringValue, let channel else { return nil }
            self = .session(token: token, channel)
        case "figures": self = .figures
        case "past": self = .past
        case "kick":
            guard let client = tree["client_id"]?.stringValue, let channel else { return nil }
            self = .expel(ClientID(client), channel, reason: tree["reason"]?.stringValue)
        case "applied":
            guard let partition = tree["partition"]?.numberValue.flatMap({ Int(exactly: $0) }),
                let place = tree["place"]?.numberValue
            else { return nil }
            self = .applied(partition: partition, LogOffset(rawValue: place))
        default:
            guard let query = Self.query(word, tree) else { return nil }
            self = .query(query)
        }
    }
}

extension SessionElsewhere {
    /// The answer to `NodeRequest.session`.
    static func answer(_ session: ResumedSession?) -> ByteBuffer {
        JSONTree.object([.init("session", .optional(session, \.json))]).bytes
    }

    /// - Parameter time: since the node was heard; `nil`: never.
    init(answer bytes: ByteBuffer?, heardBefore time: Duration?) {
        guard let bytes else {
            self = time.map { .silent(for: $0) } ?? .none
            return
        }
        let session = (try? JSONTree.read(bytes))?["session"].flatMap(ResumedSession.init)
        self = session.map { .session($0) } ?? .none
    }
}

extension NodeFigures {
    /// The answer to `NodeRequest.figures`.
    var answer: ByteBuffer {
        let partitions = self.partitions.map { partition in
            JSONTree.object([.init("state", .string(partition.state)), .init("place", .integer(partition.place))])
        }
        return JSONTree.object([
            .init("connections", .integer(self.connections)), .init("partitions", .array(partitions)),
        ]).bytes
    }

    init?(answer bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes), let connections = tree["connections"]?.numberValue,
            case .array(let partitions)? = tree["partitions"]
        else { return nil }
        let read = partitions.compactMap { partition -> Partition? in
            guard let state = partition["state"]?.stringValue, let place = partition["place"]?.numberValue else {
                return nil
            }
            return Partition(state: state, place: place)
        }
        guard read.count == partitions.count else { return nil }
        self.init(connections: Int(clamping: connections), partitions: read)
    }
}

extension PastNodes.Told {
    /// The answer to `NodeRequest.past`.
    var answer: ByteBuffer {
        let nodes = self.nodes.sorted { $0.key.rawValue < $1.key.rawValue }.map { node, silence in
            JSONTree.object([
                .init("node", .integer(UInt64(node.rawValue))), .init("silent_ms", .integer(silence / 1_000_000)),
            ])
        }
        let expelled = self.expelled.map { client, age in
            JSONTree.object([.init("client_id", .string(client.text)), .init("ago_ms", .integer(age / 1_000_000))])
        }
        return JSONTree.object([.init("nodes", .array(nodes)), .init("expelled", .array(expelled))]).bytes
    }

    /// Leaves out what it cannot read.
    init?(answer bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes), case .array(let nodes)? = tree["nodes"],
            case .array(let expelled)? = tree["expelled"]
        else { return nil }
        self.init(nodes: [:], expelled: [:])
        for node in nodes {
            guard let number = node["node"]?.numberValue.flatMap({ UInt32(exactly: $0) }),
                let silence = Self.nanoseconds(node["silent_ms"])
            else { continue }
            self.nodes[NodeNumber(rawValue: number)] = silence
        }
        for client in expelled {
            guard let id = client["client_id"]?.stringValue, let age = Self.nanoseconds(client["ago_ms"]) else {
                continue
            }
            self.expelled[ClientID(id)] = age
        }
    }

    private static func nanoseconds(_ milliseconds: JSONTree?) -> UInt64? {
        guard let (time, overflow) = milliseconds?.numberValue?.multipliedReportingOverflow(by: 1_000_000), !overflow
        else { return nil }
        return time
    }
}

/// The answer to `NodeRequest.expel`.
enum ExpelAnswer {
    static func bytes(wasHere: Bool) -> ByteBuffer { JSONTree.object([.init("was_here", .bool(wasHere))]).bytes }

    static func wasHere(_ bytes: ByteBuffer) -> Bool { (try? JSONTree.read(bytes))?["was_here"] == .bool(true) }
}
