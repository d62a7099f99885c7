import NIOCore
import RoomModel
import RoomWire

/// The answers to the requests of clients.
extension FakeBrokerCore {
    func handle(_ frame: ClientFrame, from link: FakeLink) {
        let callback = frame.callback
        switch (frame.request, link.session) {
        case (.handshake(let request), _): self.greet(request, callback, link)
        case (.ping, _): self.send(to: link) { $0.type(BrokerFrameType.pong) }
        case (.pong, _): break
        case (_, nil): self.refuse(RequestError(.handshakeRequired, "send a handshake first"), callback, link)
        case (.authenticate, _?): if self.accepts(.authenticate, callback, link) { self.answer(callback, link) }
        case (.subscribe(let request), let session?): self.subscribe(request, session, callback, link)
        case (.unsubscribe(let rooms), let session?):
            if case .one(let name) = rooms { self.leave(name, session) }
            self.answer(callback, link)
        case (.publish(let request), let session?): self.publish(request, session, callback, link)
        case (.update(let data), let session?):
            guard self.accepts(.update, callback, link) else { return }
            self.update(session, data)
            self.answer(callback, link)
        case (.history(let request), _?): self.history(request, callback, link)
        case (.members, _?), (.rooms, _?), (.moderate, _?):
            self.refuse(RequestError(.permissionDenied, "the fake broker does not do that"), callback, link)
        }
    }

    private func greet(_ request: HandshakeRequest, _ callback: Int64?, _ link: FakeLink) {
        guard self.accepts(.handshake, callback, link) else { return }
        let (session, isResumed) = self.session(for: request)
        session.link?.channel.close(promise: nil)
        (session.link, link.session) = (link, session)
        let reply = HandshakeReply(
            clientID: session.id.text,
            resumeToken: request.resumable ? session.resumeToken : nil,
            resumed: request.resume.map { _ in isResumed }
        )
        self.answer(callback, link) { $0.reply(to: $1, reply) }
        if isResumed, session.clientData != request.clientData { self.update(session, request.clientData) }
    }

    private func subscribe(
        _ request: SubscribeRequest,
        _ session: FakeSession,
        _ callback: Int64?,
        _ link: FakeLink
    ) {
        guard self.accepts(.join, callback, link) else { return }
        guard case .one(let name) = request.rooms else {
            return self.refuse(RequestError(.invalidField, "the fake broker takes one room"), callback, link)
        }
        self.enter(name, session)
        if request.presence == true { self.rooms[name]?.asking.insert(session.id) }
        if request.presence == false { self.rooms[name]?.asking.remove(session.id) }
        guard let room = self.rooms[name] else { return }
        let isShown = self.showsMembers(of: name, to: session.id)
        let resumption = room.resumption(request)
        let reply = SubscribeReply(
            epoch: room.epoch,
            seq: room.lastSeq,
            recovered: resumption.recovered,
            presence: request.presence.map { _ in isShown }
        )
        self.answer(callback, link) { $0.reply(to: $1, reply) }
        if isShown {
            let members = room.members.reversed().compactMap { self.sessions[$0]?.sender }
            let list = ObservableMembers(room: name, MemberSnapshot(members, count: members.count))
            self.send(to: link) { $0.frame(list) }
        }
        if let gap = resumption.gap {
            let epoch = room.epoch.description
            self.send(to: link) {
                $0.frame(GapEvent(room: name, epoch: epoch, from: gap.from, through: gap.through, reason: gap.reason))
            }
        }
        for entry in resumption.missed { self.send(entry, in: name, to: link) }
        for (index, entry) in resumption.history.enumerated() {
            var frame = ByteBuffer()
            PublishWriter(room: name).writeHistory(Self.tail(entry, in: name), index: index, into: &frame)
            frame.writeString("\n")
            self.send(frame, to: link)
        }
    }

    private func publish(_ request: PublishRequest, _ session: FakeSession, _ callback: Int64?, _ link: FakeLink) {
        guard self.accepts(.publish, callback, link) else { return }
        let known = request.messageID.flatMap { id in
            self.rooms[request.room]?.entries.first { $0.messageID == id }
        }
        var entry = known
        if request.isEphemeral {
            self.rooms[request.room]?.ephemerals.append(request.message)
            self.tell(request.message, from: session.sender, in: request.room)
        } else if known == nil {
            entry = self.store(request.message, from: session.sender, in: request.room, messageID: request.messageID)
        }
        guard let callback else { return }
        var frame = ByteBuffer()
        AcknowledgementWriter.write(
            callback: callback,
            seq: entry?.seq,
            isDuplicate: known != nil,
            stamp: entry?.stamp ?? self.stamp(session.sender),
            into: &frame
        )
        self.send(frame, to: link)
    }

    private func history(_ request: HistoryRequest, _ callback: Int64?, _ link: FakeLink) {
        guard self.accepts(.history, callback, link) else { return }
        let page = self.rooms[request.room]?.page(request) ?? (entries: [], hasMore: false)
        let tails = page.entries.map { StoredTail(Self.tail($0, in: request.room)) }
        let entries = HistoryEntries.stored(tails, PublishWriter(room: request.room))
        self.answer(callback, link) { $0.reply(to: $1, HistoryReply(entries, gap: nil, more: page.hasMore)) }
    }

    /// The part of a `publish` frame that is stored.
    private static func tail(_ entry: FakeRoom.Entry, in name: RoomName) -> ByteBuffer {
        var frame = ByteBuffer()
        let range = PublishWriter(room: name).write(entry.message, stamp: entry.stamp, seq: entry.seq, into: &frame)
        return frame.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }

    // MARK: Answers

    private func answer(
        _ callback: Int64?,
        _ link: FakeLink,
        _ fields: (inout FrameWriter, Int64) -> Void = { $0.reply(to: $1) }
    ) {
        guard let callback else { return }
        self.send(to: link) { fields(&$0, callback) }
    }

    /// - Returns: whether the request is not refused; otherwise the client is told.
    private func accepts(_ request: FakeBroker.Request, _ callback: Int64?, _ link: FakeLink) -> Bool {
        guard let refusal = self.refusal(of: request) else { return true }
        var error = RequestError(refusal.code, refusal.text)
        error.retryAfterMilliseconds = refusal.retryAfterMilliseconds
        error.isAboutHandshake = request == .handshake
        self.refuse(error, callback, link)
        return false
    }

    private func refuse(_ error: RequestError, _ callback: Int64?, _ link: FakeLink) {
        var error = error
        error.callback = callback
        self.send(to: link) { frame in
            frame.error(error)
            if error.isAboutHandshake { frame.field("client_id", "") }
        }
    }
}
