import NIOCore
import NIOHTTP1
import RoomDelivery
import RoomJSON
import RoomModel
import RoomWire

/// The query of a request for an event stream: `?channel=C&room=R[&since=EPOCH:SEQ|&history=N][&name=…][&presence=true]`, or none.
struct EventStreamQuery {
    private var values: [String: String] = [:]

    private static let names: Set<String> = ["channel", "room", "since", "history", "name", "overflow", "presence"]

    /// - Parameter path: with its query, as it was sent.
    init(_ path: String) throws(Problem) {
        let parts = path.split(separator: "?", maxSplits: 1)
        guard parts.count > 1 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(sides[0])
            guard Self.names.contains(name) else {
                throw Problem(
                    .badRequest,
                    .unknownField,
                    "there is no parameter \(name.shown); there are \(Self.names.sorted().joined(separator: ", "))"
                )
            }
            guard self.values[name] == nil else { throw Problem.invalid("the parameter \(name) is repeated") }
            self.values[name] = sides.count > 1 ? try Self.decode(sides[1]) : ""
        }
    }

    private static func decode(_ text: Substring) throws(Problem) -> String {
        do throws(PercentEncoding.Fault) {
            return try PercentEncoding.decode(text, plusIsSpace: true)
        } catch {
            throw Problem(.badRequest, .malformedRequest, "the query is not percent-encoded text in UTF-8")
        }
    }

    /// The room that the stream is for; `nil` where the query says nothing.
    ///
    /// - Parameters:
    ///   - lastEventID: the header of that name, by which a browser comes back; it counts more than the query.
    ///   - token: an access token.
    func room(lastEventID: String?, token: String?, limits: FrameLimits) throws(Problem) -> EventStreamRoom? {
        guard !self.values.isEmpty else { return nil }
        guard let channel = self.values["channel"] else { throw Problem.missing("channel") }
        guard let name = self.values["room"] else { throw Problem.missing("room") }
        if let fault = RoomNameRule.fault(in: name, limit: limits.roomName) { throw Problem(fault) }
        let room = RoomName(name)
        return EventStreamRoom(
            handshake: HandshakeRequest(channel: channel, clientData: try self.clientData(limits), token: token),
            room: room,
            subscribe: SubscribeRequest(
                rooms: .one(room),
                historyCount: try self.history(),
                since: try self.since(lastEventID),
                overflow: try self.overflow(),
                presence: try self.presence()
            )
        )
    }

    private func clientData(_ limits: FrameLimits) throws(Problem) -> ByteBuffer? {
        guard let name = self.values["name"] else { return nil }
        var data = ByteBuffer(string: "{\"name\":")
        data.writeJSONString(name)
        data.writeString("}")
        guard data.readableBytes <= limits.clientData else {
            throw Problem.invalid("a name can have at most \(limits.clientData) bytes, as JSON")
        }
        return data
    }

    private func history() throws(Problem) -> Int {
        guard let text = self.values["history"] else { return 0 }
        guard let count = Int(text), count >= 0 else {
            throw Problem.invalid("history is the number of messages to send")
        }
        return count
    }

    private func since(_ lastEventID: String?) throws(Problem) -> Position? {
        // one that is none of ours matches no log, and the client is told that something is missing
        if let lastEventID, !lastEventID.isEmpty {
            return Position(eventID: lastEventID) ?? Position(epoch: nil, seq: 0)
        }
        guard let text = self.values["since"] else { return nil }
        guard let position = Position(eventID: text) else {
            throw Problem.invalid("since is the id of an event, EPOCH:SEQ, as 5f3c9a1e7b240d86:42")
        }
        return position
    }

    private func presence() throws(Problem) -> Bool? {
        guard let text = self.values["presence"] else { return nil }
        guard let presence = Bool(text) else { throw Problem.invalid("presence is true or false") }
        return presence
    }

    private func overflow() throws(Problem) -> OverflowPolicy {
        guard let text = self.values["overflow"] else { return .disconnect }
        guard let policy = OverflowPolicy(rawValue: text) else {
            throw Problem.invalid("overflow is one of disconnect, drop_oldest, latest")
        }
        return policy
    }
}
