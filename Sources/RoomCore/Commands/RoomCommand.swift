package import RoomModel

/// The commands that reach a room, in the order in which they take effect. Each is a value: with the turn in which it is taken
/// (`RoomTurn`) it says all that it does, and can be written down (`RecordWriter`).
package enum RoomCommand: Equatable, Sendable {
    case publish(PublishCommand)
    case join(JoinCommand)
    /// Unsubscribed, or gone without a grace period.
    case leave(ClientID, ConnectionRef)
    /// The connection is gone, but its session can be resumed: it stays a member, with this newest data where the room
    /// was not told of it.
    case linger(ClientID, ConnectionRef, newest: Sender? = nil)
    /// The grace period of a lingering member is over.
    case graceEnded(ClientID)
    case update(Sender)
    /// A moderator takes a member out.
    case kick(KickCommand)
    /// Something for all members to read.
    case notice(NoticeCommand)
    /// The room has other rules from now on.
    case rules(RoomRules)
    /// The room has other settings from now on; `epoch`: its own, if it has no history from now on.
    case settings(RoomSettings, epoch: Epoch)
    /// A plain-text client has taken a name.
    case rename(RenameCommand)
    case members(Origin)
    case history(Origin, HistoryRequest)
    /// Asks for a message of the room, at this place of its order.
    case locate(Origin)
    /// Indirect: it is rare, and publishes need not be as large.
    indirect case redact(RedactCommand)
    case clear(ClearCommand)
}

extension RoomCommand {
    /// The answer of a room that does not take it; `nil` where nobody waits for one.
    package func refused(_ error: RequestError, in room: RoomName) -> RoomAnswer? {
        switch self {
        case .publish(let publish): .refused(publish.origin, publish.refused(error, in: room))
        case .members, .history, .locate: self.origin.map { .refused($0, error.answering($0.callback)) }
        case .join(let join): RoomAnswer(to: join.connection, .joinRefused(join, error))
        case .leave, .linger, .graceEnded, .update, .rename, .rules, .settings: nil
        case .kick, .notice, .redact, .clear: self.origin.map { .refused($0, error) }
        }
    }

    /// Who is answered; `nil` where nobody waits for an answer, or for that to a join.
    private var origin: Origin? {
        switch self {
        case .publish(let publish): publish.origin
        case .rename(let rename): rename.origin
        case .members(let origin), .history(let origin, _), .locate(let origin): origin
        case .clear(let clear): clear.origin
        default: self.operation?.origin
        }
    }

    /// The command, where it has all of its own in its file.
    var operation: (any RoomOperation)? {
        switch self {
        case .kick(let command): command
        case .notice(let command): command
        case .redact(let command): command
        case .publish, .join, .leave, .linger, .graceEnded, .update, .rename, .rules, .settings,
            .members, .history, .locate, .clear:
            nil
        }
    }
}

extension RoomCommand {
    /// The one that it came from; `nil` where the broker itself has it done.
    var connection: ConnectionRef? {
        switch self {
        case .join(let join): join.connection
        case .leave(_, let connection), .linger(_, let connection, _): connection
        default: self.origin?.connection
        }
    }
}

extension RoomCommand: Recorded {
    /// The kinds as the bytes say them. A number is never used for anything else again.
    enum Kind: UInt8 {
        case publish = 1
        case join = 2
        case leave = 3
        case linger = 4
        case graceEnded = 5
        case update = 6
        case kick = 7
        case notice = 8
        case rules = 9
        case settings = 10
        case rename = 11
        case members = 12
        case history = 13
        case locate = 14
        case redact = 15
        case clear = 16
    }

    package static func read(_ part: StaticString, from reader: inout RecordReader) throws(RecordError) -> RoomCommand {
        let byte = try reader.byte("kind of a command")
        guard let kind = Kind(rawValue: byte) else { throw reader.error("kind of a command", .unknown("kind \(byte)")) }
        switch kind {
        case .publish: return .publish(try reader.read("publish"))
        case .join: return .join(try reader.read("join"))
        case .leave: return .leave(try reader.read("client of a leave"), try reader.read("connection"))
        case .linger:
            let hasNewest = try reader.flags("flags of a linger", 1)[0]
            let (client, connection): (ClientID, ConnectionRef) = (
                try reader.read("client of a linger"), try reader.read("connection")
            )
            return .linger(client, connection, newest: hasNewest ? try reader.read("sender") : nil)
        case .graceEnded: return .graceEnded(try reader.read("client of an end of grace"))
        case .update: return .update(try reader.read("sender"))
        case .kick: return .kick(try reader.read("kick"))
        case .notice: return .notice(try reader.read("notice"))
        case .rules: return .rules(try reader.read("rules"))
        case .settings: return .settings(try reader.read("settings"), epoch: try reader.read("epoch of settings"))
        case .rename: return .rename(try reader.read("rename"))
        case .members: return .members(try reader.read("origin"))
        case .history:
            let query: HistoryCommand = try reader.read("history request")
            return .history(query.origin, query.request)
        case .locate: return .locate(try reader.read("origin"))
        case .redact: return .redact(try reader.read("redact"))
        case .clear: return .clear(try reader.read("clear"))
        }
    }

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .publish(let publish): writer.write(.publish, publish)
        case .join(let join): writer.write(.join, join)
        case .leave(let client, let connection):
            writer.write(.leave)
            writer.write(client)
            writer.write(connection)
        case .linger(let client, let connection, let newest):
            writer.write(.linger)
            writer.write(flags: newest != nil)
            writer.write(client)
            writer.write(connection)
            if let newest { writer.write(newest) }
        case .graceEnded(let client):
            writer.write(.graceEnded)
            writer.write(client)
        case .update(let sender): writer.write(.update, sender)
        case .kick(let kick): writer.write(.kick, kick)
        case .notice(let notice): writer.write(.notice, notice)
        case .rules(let rules): writer.write(.rules, rules)
        case .settings(let settings, let epoch):
            writer.write(.settings, settings)
            writer.write(epoch)
        case .rename(let rename): writer.write(.rename, rename)
        case .members(let origin): writer.write(.members, origin)
        case .history(let origin, let request):
            writer.write(.history, HistoryCommand(origin: origin, request: request))
        case .locate(let origin): writer.write(.locate, origin)
        case .redact(let redact): writer.write(.redact, redact)
        case .clear(let clear): writer.write(.clear, clear)
        }
    }
}

extension RecordWriter {
    fileprivate mutating func write(_ kind: RoomCommand.Kind) { self.write(byte: kind.rawValue) }

    fileprivate mutating func write(_ kind: RoomCommand.Kind, _ rest: some Recorded) {
        self.write(kind)
        self.write(rest)
    }
}
