import RoomModel

@testable import RoomCore

/// What a room did in a batch, one after the other.
enum RoomStep: Equatable {
    case entry(RoomEntry.Content, seq: UInt64, excluding: ConnectionRef?)
    case answer(RoomAnswer.Content, to: ConnectionRef?)

    var answer: RoomAnswer.Content? { if case .answer(let content, _) = self { content } else { nil } }

    /// Of a command that was refused.
    var error: RequestError? { self.answer?.error }
}

extension RoomAnswer.Content {
    var error: RequestError? {
        switch self {
        case .refused(_, let error), .joinRefused(let error): error
        default: nil
        }
    }
}

extension RoomAnswer {
    var error: RequestError? { self.content.error }
}

extension RoomTurn {
    static func make(_ milliseconds: Int64 = 0, uptime: UInt64 = 0) -> RoomTurn {
        RoomTurn(
            milliseconds: milliseconds,
            steadySecond: UInt32(milliseconds / 1_000),
            uptime: uptime,
            ids: IDSequence(milliseconds: milliseconds, seed: UInt64(milliseconds) + 1)
        )
    }
}

extension RoomBatch {
    var steps: [RoomStep] {
        (0...self.entries.count).flatMap { place in
            self.answers.filter { $0.place == place }.map { RoomStep.answer($0.content, to: $0.connection) }
                + self.entries[place...].prefix(1).map { .entry($0.content, seq: $0.seq, excluding: $0.excluded) }
        }
    }
}

extension Room {
    /// The next batch; `nil` where something else is next.
    mutating func batch(uptime: UInt64 = 0) -> RoomBatch? {
        guard case .take = self.advance() else { return nil }
        return self.takeBatch(.make(uptime: uptime))
    }

    mutating func steps(uptime: UInt64 = 0) -> [RoomStep] { self.batch(uptime: uptime)?.steps ?? [] }

    mutating func answers() -> [RoomAnswer] { self.batch()?.answers ?? [] }
}
