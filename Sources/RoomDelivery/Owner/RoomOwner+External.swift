import NIOCore
import RoomCore
import RoomDocuments
import RoomModel
import RoomWire

/// Requests to rooms that come without a connection.
extension RoomOwner {
    /// Publishes into a room that this shard owns.
    func publish(
        _ message: ByteBuffer,
        to key: RoomKey,
        by publisher: ExternalPublisher,
        messageID: UniqueID?,
        completion: @escaping (Result<ExternalPublishReceipt, RequestError>) -> Void
    ) {
        if let error = self.refusal(of: message, to: key, by: publisher) { return completion(.failure(error)) }
        guard let owned = self.room(key) else { return completion(.failure(Session.unknownChannel)) }
        let opening = owned.isNew ? Work.command : 0
        let delivery = owned.work(ofDelivering: message.readableBytes, in: self.context.turn)
        let number = self.requests.add(key.channel) { [tally = self.context.tally] answer in
            switch answer {
            case .acknowledged(let acknowledgement):
                tally.counters.acknowledgements += 1
                let caused = Work.roomOfMany + opening + delivery
                completion(.success(ExternalPublishReceipt(acknowledgement, caused: caused)))
            case .refused(_, let error): completion(.failure(error))
            default: return
            }
        }
        let command = PublishCommand(
            origin: self.origin(number),
            sender: publisher.sender.sender,
            message: message,
            messageID: messageID,
            author: publisher.permission?.moderate ?? false ? nil : publisher.person.map { Author($0) }
        )
        self.take(.publish(command), in: owned, by: publisher.maker)
    }

    private func refusal(of message: ByteBuffer, to key: RoomKey, by publisher: ExternalPublisher) -> RequestError? {
        guard let channel = self.context.channels[key.channel] else { return Session.unknownChannel }
        let error = channel.refusal(
            ofMessageBytes: message.readableBytes,
            into: key.room,
            mayPublish: publisher.permission?.publish ?? true,
            sanction: publisher.person.flatMap { self.context.sanction(on: $0, publishingInto: key) }
        )
        if let error { return error }
        if self.context.isDraining {
            return RequestError(.shuttingDown, "the broker is shutting down", retryAfterMilliseconds: 1_000)
        }
        return channel.rateRefusal(now: self.context.now.uptimeNanoseconds)
    }

    func origin(_ number: UInt64) -> Origin {
        Origin(connection: self.context.connectionRef(number), callback: 0)
    }

    /// Asks a room that this shard owns for its log, opened and at this place of the room's order.
    func readLog(
        of key: RoomKey,
        _ request: HistoryRequest,
        completion: @escaping (RoomOwner, Result<HistoryRead, RequestError>) -> Void
    ) {
        guard let owned = self.room(key) else { return completion(self, .failure(Session.unknownChannel)) }
        let number = self.requests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .history(let read): completion(self, .success(read))
            case .refused(_, let error): completion(self, .failure(error))
            default: return
            }
        }
        self.take(.history(self.origin(number), request), in: owned)
    }

    /// Answers a query in the room's order.
    func readHistory(
        of key: RoomKey,
        _ request: HistoryRequest,
        for asker: ReadAsker,
        completion: @escaping @Sendable (Result<HistoryFrames, RequestError>) -> Void
    ) {
        self.readLog(of: key, request) { owner, result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let read):
                read.run(in: owner.context, for: asker) { owner, page in
                    guard let page else {
                        return owner.readHistory(of: key, request, for: asker, completion: completion)
                    }
                    completion(page.map { HistoryFrames($0, of: read) })
                }
            }
        }
    }

    func detail(of key: RoomKey) -> AdminRoom? {
        guard let owned = self.rooms[key] else { return nil }
        let view = owned.order.view
        var room = AdminRoom(placeholder: ())
        (room.channel, room.name, room.hasHadMembers) = (key.channel.text, key.room.text, owned.hasHadMembers)
        (room.members, room.subscribers) = (view.members, view.subscribers.total)
        (room.epoch, room.seq) = ("\(view.epoch)", view.lastSeq)
        (room.history, room.observable) = (view.history.map { .init($0) }, view.presence != .hidden)
        room.messagesPerSecond = owned.activity.rate(at: self.context.environment.clock())
        room.window = .init(bytes: owned.window.bytes, chunks: owned.window.chunks.count)
        return room
    }

    func members(of key: RoomKey) -> MemberTable {
        self.sequencer.room(key).map { MemberTable($0) } ?? MemberTable()
    }

    /// The `seq` of a message of the memory window, by its id.
    func findInWindow(_ id: UniqueID, of key: RoomKey) -> UInt64? { self.rooms[key]?.find(id) }

    func member(_ client: ClientID, _ key: RoomKey) -> Room.Member? { self.sequencer.room(key)?.members[client] }
}

extension HistoryFrames {
    fileprivate init(_ page: LogPage, of read: HistoryRead) {
        let writer = PublishWriter(room: read.room.room)
        let frames = page.entries.map { entry in
            var frame = ByteBuffer()
            writer.writeStored(entry, into: &frame)
            return frame
        }
        self.init(
            frames: frames,
            firstSeq: page.entries.first?.seq,
            lost: page.lost,
            hasMore: page.hasMore,
            epoch: read.epoch,
            seq: read.seq
        )
    }
}

extension ExternalPublishReceipt {
    fileprivate init(_ acknowledgement: Acknowledgement, caused: Int) {
        self.init(
            id: acknowledgement.stamp.id,
            seq: acknowledgement.seq,
            isDuplicate: acknowledgement.isDuplicate,
            caused: caused
        )
    }
}
