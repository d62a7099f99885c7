import NIOCore
import RoomModel
import RoomWire

/// Joining rooms, coming back to them, leaving them, and asking about them.
extension ClientCore {
    func join(_ room: JoinedRoom) {
        if let finalError { return room.end(finalError) }
        guard self.rooms[room.name] == nil else {
            let text = "this client is in \"\(room.name)\" already: use the room there is, or leave it first"
            room.end(RoomClientError(.alreadyJoined, text))
            return
        }
        self.rooms[room.name] = room
        self.want()
        if self.isReady { self.subscribe(room) }
    }

    func subscribe(_ room: JoinedRoom) {
        let (name, membershipID, request) = (room.name, room.membershipID, room.log.request)
        self.ask(.dropped) {
            ClientFrameWriter.subscribe(
                room: name,
                historyCount: request.historyCount,
                since: request.since,
                overflow: .dropOldest,
                callback: $0,
                into: &$1
            )
        } handler: { core, result in
            guard let room = core.rooms[name], room.membershipID == membershipID else { return }
            core.subscribed(room, result)
        }
    }

    private func subscribed(_ room: JoinedRoom, _ result: Result<Reply, RoomClientError>) {
        do throws(RoomClientError) {
            room.subscribed(try self.read(result) { reply throws(BrokerFrameError) in try reply.subscription() })
            let fetches = room.waitingFetches
            room.waitingFetches = []
            for (fetch, feed) in fetches {
                self.fetch(fetch, for: feed, in: room.name, membershipID: room.membershipID)
            }
        } catch {
            self.subscribeRefused(room, error)
        }
    }

    /// The first refusal is for whoever joins; later ones are tried again where that may help.
    private func subscribeRefused(_ room: JoinedRoom, _ error: RoomClientError) {
        if error.code == .timedOut {
            // The answer may still come; the next subscribe, ours or that of the app's next join, must not meet it.
            self.write { ClientFrameWriter.unsubscribe(room: room.name, callback: nil, into: &$0) }
        }
        guard error.isRetryable, room.joining == nil else {
            self.rooms[room.name] = nil
            room.end(error)
            return
        }
        let backoff = self.configuration.backoff
        let pause = backoff.delay(attempt: room.refusals, jitter: self.random(), atLeast: error.retryAfter)
        room.refusals += 1
        let (name, membershipID, attempt) = (room.name, room.membershipID, self.attempt)
        _ = self.schedule(at: self.loop.now + TimeAmount(pause)) { core in
            // The next connection subscribes by itself.
            guard core.isCurrent(attempt), let room = core.rooms[name], room.membershipID == membershipID else {
                return
            }
            core.subscribe(room)
        }
    }

    func leave(_ name: RoomName, membershipID: UInt64, waiter: Waiter<Void>?) {
        guard let room = self.rooms[name], room.membershipID == membershipID else {
            waiter?.answer(.success(()))
            return
        }
        self.rooms[name] = nil
        room.end(nil)
        guard self.isReady else {
            waiter?.answer(.success(()))
            return
        }
        self.ask(.fails) {
            ClientFrameWriter.unsubscribe(room: name, callback: $0, into: &$1)
        } handler: { _, _ in
            // Without a connection one is not in the room either.
            waiter?.answer(.success(()))
        }
    }

    /// The broker has taken this client out of a room: it does not go back by itself.
    func received(_ removal: Removal) {
        guard let room = self.subscribedRoom(removal.room) else { return }
        self.rooms[room.name] = nil
        let code = removal.code.map { RoomClientError.Code(rawValue: $0) } ?? .permissionDenied
        room.end(RoomClientError(code, "removed from \"\(room.name)\": \(removal.reason)"))
    }

    /// The room that something has come for, once its subscribe is answered: what comes before is for an earlier stay.
    func subscribedRoom(_ name: RoomName) -> JoinedRoom? {
        guard let room = self.rooms[name], room.isSubscribed else { return nil }
        return room
    }

    // MARK: History

    func history(
        _ request: HistoryRequest,
        waiter: Waiter<FetchedHistory>
    ) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        self.want()
        self.askHistory(request, .repeated) { core, result in
            let epoch = core.rooms[request.room]?.log.position?.epoch
            waiter.answer(
                result.map { reply in
                    var senders = SenderCache()
                    let messages = reply.entries.compactMap { entry -> IncomingMessage? in
                        guard case .message(let message) = entry else { return nil }
                        return IncomingMessage(message, epoch: epoch, isHistory: true, senders: &senders)
                    }
                    return FetchedHistory(messages: messages, seqs: reply.seqs, hasMore: reply.more)
                }
            )
        }
    }

    /// A reader has caught up: gets what was dropped for it.
    func fetch(_ fetch: FeedBuffer.Fetch, for feed: Feed, in name: RoomName, membershipID: UInt64) {
        guard let room = self.rooms[name], room.membershipID == membershipID else { return }
        guard room.isSubscribed else {
            room.waitingFetches.append((fetch, feed))
            return
        }
        guard room.log.position?.epoch == fetch.epoch else { return feed.fetchFailed(fetch) }
        let request = HistoryRequest(room: name, anchor: .after(fetch.after), limit: min(fetch.limit, Self.longestPage))
        self.askHistory(request, .fails) { core, result in
            guard let room = core.rooms[name], room.membershipID == membershipID else { return }
            switch result {
            case .success(let page):
                feed.fetched(page.entries.map { room.incoming($0) }, hasMore: page.more, of: fetch)
            case .failure(let error) where error.code == .connectionLost:
                room.waitingFetches.append((fetch, feed))
            case .failure(let error) where error.isRetryable:
                _ = core.schedule(at: core.loop.now + .seconds(1)) {
                    $0.fetch(fetch, for: feed, in: name, membershipID: membershipID)
                }
            case .failure(let error):
                feed.fetchFailed(fetch, error.code == .permissionDenied ? .denied : .slow)
            }
        }
    }

    /// As many as the broker gives in one answer.
    private static let longestPage = 1_000

    private func askHistory(
        _ request: HistoryRequest,
        _ persistence: PendingRequests.Persistence,
        handler: @escaping (ClientCore, Result<HistoryReply, RoomClientError>) -> Void
    ) {
        self.ask(persistence) {
            ClientFrameWriter.history(request, callback: $0, into: &$1)
        } handler: { core, result in
            do throws(RoomClientError) {
                handler(core, .success(try core.read(result) { reply throws(BrokerFrameError) in try reply.history() }))
            } catch {
                handler(core, .failure(error))
            }
        }
    }
}
