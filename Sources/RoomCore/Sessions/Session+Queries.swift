package import RoomModel

/// Queries about a room, whose answers are large.
extension Session {
    /// Whether a request can be handled now.
    package enum Admission: Equatable {
        case admitted
        case refused(RequestError)
        case wait
    }

    /// One query at a time, so that what waits is bounded.
    package mutating func queryReceived(_ query: Query, callback: Int64?) -> Admission {
        if let error = self.refusal(callback) { return .refused(error) }
        guard callback != nil else {
            return .refused(Self.missingCallback)
        }
        if let error = self.refusal(of: query) {
            return .refused(error.answering(callback))
        }
        guard !self.isQuerying else { return .wait }
        self.isQuerying = true
        return .admitted
    }

    package enum Query: Equatable, Sendable {
        case members(RoomName)
        case history(RoomName)

        package var room: RoomName {
            switch self {
            case .members(let room), .history(let room): room
            }
        }
    }

    private mutating func refusal(of query: Query) -> RequestError? {
        if let error = self.ban(from: query.room) { return error }
        switch query {
        case .members(let room):
            guard self.identity.channel.presence(of: room) != .hidden else {
                return RequestError(
                    .notObservable,
                    "this channel shows members only in rooms whose name begins with \"\(RoomName.observablePrefix)\""
                )
            }
            return self.permission(for: room).subscribe ? nil : .denied("see the members of", room)
        case .history(let room):
            return self.permission(for: room).history > 0 ? nil : .denied("read the history of", room)
        }
    }

    package static let missingCallback = RequestError(
        .missingField,
        "a query needs a \"callback\" for its answer"
    )

    package mutating func queryAnswered() {
        self.isQuerying = false
    }
}
