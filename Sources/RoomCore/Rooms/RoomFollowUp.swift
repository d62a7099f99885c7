import RoomModel

/// Something that a room has to do because of what it has done before, or of what its store has answered. It is not a command:
/// who gives another room the same commands and answers finds it there too.
enum RoomFollowUp: Equatable, Sendable {
    /// The room was cleared, and its members have to be told.
    case tellCleared(ClearCommand)
    /// An answer that waits for its turn behind what came before.
    case answer(RoomAnswer)
    /// The log was opened again and is not what its members have seen: it goes on further, or it is another one.
    case logReread(isNewEpoch: Bool)
    /// The room shows its members from now on.
    case showMembers
}

/// What a room has to do, in its turn.
enum RoomWork: Equatable, Sendable {
    case command(RoomCommand)
    case followUp(RoomFollowUp)

    /// The connection that it came from; `nil` where the broker itself has it done.
    var connection: ConnectionRef? {
        if case .command(let command) = self { command.connection } else { nil }
    }
}
