package import RoomModel

/// An answer to a command for one connection, or for all subscribers. The room makes it, the batch carries it through
/// the commit, and it goes as it is to the shard of the connection, where the connection takes it, or who has asked without
/// one (`ExternalRequests`).
package struct RoomAnswer: Equatable, Sendable {
    /// The connection that it is for; `nil`: all subscribers.
    package var connection: ConnectionRef?
    /// It comes behind so many of the batch's entries.
    package var place = 0
    package var content: Content

    package enum Content: Equatable, Sendable {
        /// A message has its place in the log, or the first one with its `message_id` has.
        case acknowledged(Acknowledgement)
        case refused(Origin, RequestError)
        /// The subscriber is let in at this place.
        indirect case joined(Admission)
        /// This join, and no other one of the connection, is refused.
        indirect case joinRefused(JoinCommand, RequestError)
        /// The connection is no subscriber any more.
        case detached
        /// The same, and its member has been taken out by a moderator.
        indirect case removed(MemberRemoval)
        case members(Origin, MemberSnapshot)
        indirect case history(HistoryRead)
        /// A message can be looked up: all that came before is in the log.
        case located
        case moderated(ModerationReceipt)
        /// The room was cleared.
        case cleared(RoomCleared)
        /// All subscribers have to start anew: from where they are, or, in a new epoch, after a gap.
        case logReread(isNewEpoch: Bool, seq: UInt64)
    }

    package init(to connection: ConnectionRef?, _ content: Content) {
        self.connection = connection
        self.content = content
    }

    package static func refused(_ origin: Origin, _ error: RequestError) -> RoomAnswer {
        RoomAnswer(to: origin.connection, .refused(origin, error))
    }

    /// The same where nothing after message `committed` has been stored.
    func withoutStored(after committed: UInt64, in room: RoomName, _ failure: EngineError) -> RoomAnswer {
        var answer = self
        switch self.content {
        case .acknowledged(let acknowledgement) where acknowledgement.seq.map { $0 > committed } ?? false:
            let origin = acknowledgement.origin
            let error = Self.error(failure)
                .answering(origin.callback, aboutPublishTo: room, acknowledgement.messageID)
            answer.content = .refused(origin, error)
        case .joined(var admission):
            admission.grant.seq = min(admission.grant.seq, committed)
            answer.content = .joined(admission)
        case .history(let read):
            answer.content = .refused(read.origin, Self.notReached.answering(read.origin.callback))
        case .located:
            answer.content = self.refusal(Self.notReached)
        case .moderated(.redacted):
            answer.content = self.refusal(Self.redactionUnknown)
        default: break
        }
        return answer
    }

    /// Refuses what was asked without a connection, and so without a callback of a client's.
    private func refusal(_ error: RequestError) -> Content {
        guard let connection = self.connection else { return self.content }
        return .refused(Origin(connection: connection, callback: nil), error)
    }

    private static func error(_ failure: EngineError) -> RequestError {
        switch failure {
        case .tooManyRooms: self.tooManyStoredRooms
        case .readOnly: self.readOnly
        case .full: self.full
        case .unavailable, .reset: self.storedUnknown
        }
    }

    private static let readOnly = RequestError(
        .storageUnavailable,
        "the message was not stored: the broker's disk is read-only, so the rooms with history take no messages",
        retryAfterMilliseconds: 10_000
    )

    private static let full = RequestError(
        .storageUnavailable,
        "the message was not stored: the broker's disk is full, so the rooms with history take no messages",
        retryAfterMilliseconds: 10_000
    )

    private static let storedUnknown = RequestError(
        .storageUnavailable,
        "it is unknown whether this message was stored; publish it again with the same message_id to be sure",
        retryAfterMilliseconds: 1_000
    )

    /// For those who only ask.
    static let notReached = RequestError(
        .storageUnavailable,
        "the history of this room cannot be reached; try again later",
        retryAfterMilliseconds: 1_000
    )

    private static let tooManyStoredRooms = RequestError(
        .tooManyStoredRooms,
        "the broker stores as many rooms of this channel as it may, so it cannot begin another one; publish into a room "
            + "that it has, or wait until messages of others have expired"
    )

    private static let redactionUnknown = RequestError(
        .storageUnavailable,
        "it is unknown whether the message was redacted; redact it again to be sure",
        retryAfterMilliseconds: 1_000
    )
}

/// The answer to a publish that has its place in the log.
package struct Acknowledgement: Equatable, Sendable {
    package var origin: Origin
    package var messageID: UniqueID?
    package var stamp: Stamp
    package var seq: UInt64?
    package var isDuplicate = false
}

/// A subscriber that is let in.
package struct Admission: Equatable, Sendable {
    package var join: JoinCommand
    /// Where it starts; complete once the batch is sealed.
    package var grant: JoinGrant
    /// Where the room shows the member who is in it.
    package var snapshot: MemberSnapshot?
    /// The member asks to be shown who is in the room.
    package var asksPresence = false
    /// The room shows it.
    package var showsMembers = false
    /// The connection has subscribed while it was in the room.
    package var isRenewal = false
}

/// The room goes on at 0 of another epoch.
package struct RoomCleared: Equatable, Sendable {
    package var stamp: Stamp
    package var epoch: Epoch
}
