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
        case .refused(_, let error), .joinRefused(_, let error): error
        default: nil
        }
    }
}

extension RoomAnswer {
    var error: RequestError? { self.content.error }
}

extension RoomTurn {
    /// - Parameter later: so many milliseconds later, by the clock that nobody sets.
    static func make(_ milliseconds: Int64 = 0, later: Int64 = 0, hasPlace: Bool = true) -> RoomTurn {
        RoomTurn(
            milliseconds: milliseconds,
            steadyMilliseconds: milliseconds + later,
            ids: IDSequence(milliseconds: milliseconds, seed: UInt64(milliseconds) + 1),
            hasPlace: hasPlace
        )
    }
}

extension RoomBatch {
    var steps: [RoomStep] {
        (0...self.entries.count).flatMap { place in
            self.answers.filter { $0.place == place }.map { RoomStep.answer($0.content, to: $0.connection) }
                + self.entries[place...].prefix(1).map {
                    .entry($0.content, seq: $0.seq, excluding: $0.audience.excluded)
                }
        }
    }
}

extension Room {
    init(key: RoomKey, channel: RoomChannel, epoch: Epoch, limits: BrokerLimits) {
        self.init(key: key, settings: channel.roomSettings(of: key.room, limits), epoch: epoch, limits: limits)
    }

    mutating func rulesChanged(_ rules: RoomRules) {
        _ = self.enqueue(.rules(rules))
    }

    mutating func channelChanged(_ channel: RoomChannel, epoch: Epoch) {
        _ = self.enqueue(.settings(channel.roomSettings(of: self.key.room, BrokerLimits()), epoch: epoch))
    }

    /// The next batch; `nil` where something else is next.
    mutating func batch(later: Int64 = 0, hasPlace: Bool = true) -> RoomBatch? {
        guard case .take = self.advance() else { return nil }
        return self.takeBatch(.make(later: later, hasPlace: hasPlace))
    }

    mutating func steps(later: Int64 = 0, hasPlace: Bool = true) -> [RoomStep] {
        self.batch(later: later, hasPlace: hasPlace)?.steps ?? []
    }

    mutating func answers() -> [RoomAnswer] { self.batch()?.answers ?? [] }
}
