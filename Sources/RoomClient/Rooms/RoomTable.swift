import NIOCore
import RoomModel
import RoomWire

/// The rooms that the app is in: joining them, coming back to them, leaving them, and their history. Confined to the client's
/// event loop.
final class RoomTable {
    private let connection: BrokerConnection
    private let requests: RequestSender
    private let backoff: Backoff
    private let log: ClientLog
    private var rooms: [RoomName: JoinedRoom] = [:]

    init(_ connection: BrokerConnection, requests: RequestSender, backoff: Backoff, log: ClientLog) {
        self.connection = connection
        self.requests = requests
        self.backoff = backoff
        self.log = log
    }

    var isEmpty: Bool { self.rooms.isEmpty }
    var names: [RoomName] { Array(self.rooms.keys) }

    /// The room that a frame is for, once its subscribe is answered: a frame that comes before is for an earlier membership.
    subscript(name: RoomName) -> JoinedRoom? {
        guard let room = self.rooms[name], room.isSubscribed else { return nil }
        return room
    }

    /// Over WebSocket the list of members comes before the answer to the subscribe. One of an earlier membership is replaced then.
    func received(_ list: ObservableMembers) {
        self.rooms[list.room]?.received(list)
    }

    private func room(_ name: RoomName, _ membershipID: UInt64) -> JoinedRoom? {
        guard let room = self.rooms[name], room.membershipID == membershipID else { return nil }
        return room
    }

    /// - Returns: the error of a call that needs this membership; `nil` while it lasts.
    func end(of membership: MembershipRef) -> RoomClientError? {
        guard self.room(membership.room, membership.membershipID) == nil else { return nil }
        return membership.state.endError ?? .left
    }

    // MARK: Joining

    func join(_ room: JoinedRoom) {
        if let error = self.connection.finalError { return room.end(error) }
        guard self.rooms[room.name] == nil else {
            let text = "this client is already in \"\(room.name)\": use that room, or leave it first"
            return room.end(RoomClientError(.alreadyJoined, text))
        }
        self.rooms[room.name] = room
        self.connection.want()
        if self.connection.isReady { self.subscribe(room) }
    }

    func subscribeAll() {
        for room in self.rooms.values { self.subscribe(room) }
    }

    func connectionLost() {
        for room in self.rooms.values { room.isSubscribed = false }
    }

    private func subscribe(_ room: JoinedRoom) {
        let (name, membershipID, request) = (room.name, room.membershipID, room.log.request)
        let asksPresence = room.asksPresence
        self.requests.ask(.dropped) {
            let subscribe = SubscribeRequest(
                rooms: .one(name),
                historyCount: request.historyCount,
                since: request.since,
                overflow: .dropOldest,
                presence: asksPresence
            )
            ClientFrameWriter.write(subscribe, callback: $0, into: &$1)
        } handler: { [unowned self] result in
            if let room = self.room(name, membershipID) { self.subscribed(room, result) }
        }
    }

    private func subscribed(_ room: JoinedRoom, _ result: Result<Reply, RoomClientError>) {
        do throws(RoomClientError) {
            room.subscribed(try result.read { reply throws(BrokerFrameError) in try reply.subscription() })
            self.log.joined(room.name)
            self.sendReadMark(room)
            let fetches = room.waitingFetches
            room.waitingFetches = []
            for (fetch, feed) in fetches {
                self.fetch(fetch, for: feed, in: room.name, membershipID: room.membershipID)
            }
        } catch {
            self.subscribeRefused(room, error)
        }
    }

    /// The call that joins throws the first refusal; later ones are tried again if that may help.
    private func subscribeRefused(_ room: JoinedRoom, _ error: RoomClientError) {
        if error.code == .timedOut {
            // The answer may still come, and must not meet the next subscribe of the client or of the app.
            self.connection.write { ClientFrameWriter.write(RoomSelection.one(room.name), callback: nil, into: &$0) }
        }
        guard error.isRetryable, room.joining == nil else {
            self.remove(room, error)
            return
        }
        let pause = self.backoff.delay(attempt: room.refusals, jitter: Backoff.jitter, atLeast: error.retryAfter)
        room.refusals += 1
        let (name, membershipID, attempt) = (room.name, room.membershipID, self.connection.attempt)
        self.schedule(in: TimeAmount(pause)) { table in
            // The next connection subscribes by itself.
            guard table.connection.isCurrent(attempt), let room = table.room(name, membershipID) else { return }
            table.subscribe(room)
        }
    }

    private func schedule(in time: TimeAmount, _ work: @escaping @Sendable (RoomTable) -> Void) {
        let loop = self.connection.loop
        _ = loop.schedule(at: loop.now + time, for: self, work)
    }

    // MARK: Leaving

    func leave(_ name: RoomName, membershipID: UInt64, waiter: Waiter<Void>?) {
        guard let room = self.room(name, membershipID) else {
            waiter?.answer(.success(()))
            return
        }
        self.remove(room, nil)
        guard self.connection.isReady else {
            waiter?.answer(.success(()))
            return
        }
        self.requests.ask(.fails) {
            ClientFrameWriter.write(RoomSelection.one(name), callback: $0, into: &$1)
        } handler: { _ in
            // Without a connection the client is not in the room either.
            waiter?.answer(.success(()))
        }
    }

    /// The broker has removed this client from a room: it does not go back by itself.
    func received(_ removal: Removal) {
        guard let room = self[removal.room] else { return }
        let code = removal.code.map { RoomClientError.Code(rawValue: $0) } ?? .permissionDenied
        // Of a ban, the broker says all in one sentence.
        let text = code == .banned ? removal.reason : "removed from \"\(room.name)\": \(removal.reason)"
        self.remove(room, RoomClientError(code, text))
    }

    private func remove(_ room: JoinedRoom, _ error: RoomClientError?) {
        self.rooms[room.name] = nil
        self.log.left(room.name, error)
        room.end(error)
    }

    func endAll(_ error: RoomClientError) {
        for room in self.rooms.values { room.end(error) }
        self.rooms = [:]
    }

    // MARK: Signals

    func typing(_ isTyping: Bool, as membership: MembershipRef) {
        guard let room = self.room(membership.room, membership.membershipID), room.isSubscribed,
            room.signals.typing(isTyping, now: self.connection.loop.now)
        else { return }
        self.send(.typing(isTyping), to: room)
    }

    func markRead(through position: Position, as membership: MembershipRef) {
        guard let room = self.room(membership.room, membership.membershipID) else { return }
        room.signals.read(through: position)
        self.sendReadMark(room)
    }

    private func sendReadMark(_ room: JoinedRoom) {
        guard room.isSubscribed else { return }
        switch room.signals.readOrder(now: self.connection.loop.now) {
        case .send(let position): self.send(.read(through: RoomPosition(position)), to: room)
        case .wait(let time):
            let (name, membershipID) = (room.name, room.membershipID)
            self.schedule(in: time - self.connection.loop.now) { table in
                guard let room = table.room(name, membershipID) else { return }
                room.signals.waited()
                table.sendReadMark(room)
            }
        case .none: break
        }
    }

    private func send(_ signal: MemberSignal, to room: JoinedRoom) {
        let request = PublishRequest(room: room.name, message: signal.json.buffer, isEphemeral: true)
        self.requests.ask(.fails) {
            ClientFrameWriter.publish(request, callback: $0, into: &$1)
        } handler: { _ in
            // Nobody misses a hint that was refused.
        }
    }

    // MARK: History

    func history(_ request: HistoryRequest, waiter: Waiter<FetchedHistory>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        self.connection.want()
        self.askHistory(request, .repeated) { table, result in
            let epoch = table.rooms[request.room]?.log.position?.epoch
            waiter.answer(result.map { FetchedHistory($0, epoch: epoch) })
        }
    }

    /// A reader has caught up: gets what was dropped for it.
    func fetch(_ fetch: FeedBuffer.Fetch, for feed: Feed, in name: RoomName, membershipID: UInt64) {
        guard let room = self.room(name, membershipID) else { return }
        guard room.isSubscribed else {
            room.waitingFetches.append((fetch, feed))
            return
        }
        guard room.log.position?.epoch == fetch.epoch else { return feed.fetchFailed(fetch) }
        let request = HistoryRequest(room: name, anchor: .after(fetch.after), limit: min(fetch.limit, Self.longestPage))
        self.askHistory(request, .fails) { table, result in
            guard let room = table.room(name, membershipID) else { return }
            switch result {
            case .success(let page):
                let entries = page.entries.map { room.incoming($0) }
                feed.fetched(entries, gap: page.gap, hasMore: page.more, of: fetch)
            case .failure(let error) where error.code == .connectionLost:
                room.waitingFetches.append((fetch, feed))
            case .failure(let error) where error.isRetryable:
                table.schedule(in: Self.fetchPause) {
                    $0.fetch(fetch, for: feed, in: name, membershipID: membershipID)
                }
            case .failure(let error):
                feed.fetchFailed(fetch, error.code == .permissionDenied ? .denied : .slow)
            }
        }
    }

    /// The most messages that the broker gives in one answer.
    private static let longestPage = 1_000
    private static let fetchPause = TimeAmount.seconds(1)

    private func askHistory(
        _ request: HistoryRequest,
        _ persistence: PendingRequests.Persistence,
        handler: @escaping (RoomTable, Result<HistoryReply, RoomClientError>) -> Void
    ) {
        self.requests.ask(persistence) {
            ClientFrameWriter.write(request, callback: $0, into: &$1)
        } handler: { [unowned self] result in
            do throws(RoomClientError) {
                handler(self, .success(try result.read { reply throws(BrokerFrameError) in try reply.history() }))
            } catch {
                handler(self, .failure(error))
            }
        }
    }
}
