import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// What the HTTP side asks of a shard.
extension RoomShard {
    /// Publishes into a room that this shard owns.
    func publish(
        _ message: ByteBuffer,
        to key: RoomKey,
        from sender: ExternalSender,
        person: SanctionedPerson?,
        permission: RoomPermission?,
        messageID: UniqueID?,
        completion: @escaping (Result<ExternalPublishReceipt, RequestError>) -> Void
    ) {
        if let error = person.flatMap({ self.sanction(on: $0, publishingInto: key) })
            ?? self.refusal(of: message, to: key, permission)
        {
            return completion(.failure(error))
        }
        guard let owned = self.ownedRoom(key) else { return completion(.failure(Session.unknownChannel)) }
        let number = self.externalRequests.add(key.channel) { answer in
            switch answer {
            case .acknowledged(let acknowledgement): completion(.success(ExternalPublishReceipt(acknowledgement)))
            case .refused(let error): completion(.failure(error))
            case .history, .kicked, .located, .moderated: return
            }
        }
        let command = PublishCommand(
            origin: self.origin(number),
            sender: sender.sender,
            message: message,
            messageID: messageID,
            author: permission?.moderate ?? false ? nil : person.map { Author($0) }
        )
        self.accept(.publish(command), in: owned)
    }

    private func refusal(of message: ByteBuffer, to key: RoomKey, _ permission: RoomPermission?) -> RequestError? {
        guard let channel = self.channels[key.channel] else { return Session.unknownChannel }
        if let permission, !permission.publish {
            return RequestError(
                .permissionDenied,
                "the token does not allow publishing into this room; show one whose \"permissions\" do",
                room: key.room
            )
        }
        guard message.readableBytes <= self.limits.frame.message else {
            return RequestError(
                .messageTooLarge,
                "the message has \(message.readableBytes) bytes; the limit is \(self.limits.frame.message)"
            )
        }
        if self.isDraining {
            return RequestError(.shuttingDown, "the broker is shutting down", retryAfterMilliseconds: 1_000)
        }
        return channel.refusal(ofMessageBytes: message.readableBytes)
            ?? channel.publishRefusal(now: self.now.uptimeNanoseconds)
    }

    func origin(_ number: UInt64) -> Origin {
        Origin(connection: ConnectionRef(shard: self.index, number: number), callback: 0)
    }

    /// Asks a room that this shard owns for its log, opened and at this place of the room's order.
    func readLog(
        of key: RoomKey,
        _ request: HistoryRequest,
        completion: @escaping (RoomShard, Result<HistoryRead, RequestError>) -> Void
    ) {
        guard let owned = self.ownedRoom(key) else { return completion(self, .failure(Session.unknownChannel)) }
        let number = self.externalRequests.add(key.channel) { [unowned self] answer in
            switch answer {
            case .history(let read): completion(self, .success(read))
            case .refused(let error): completion(self, .failure(error))
            case .acknowledged, .kicked, .located, .moderated: return
            }
        }
        self.accept(.history(self.origin(number), request), in: owned)
    }

    /// Answers a query in the room's order.
    func readHistory(
        of key: RoomKey,
        _ request: HistoryRequest,
        completion: @escaping @Sendable (Result<HistoryFrames, RequestError>) -> Void
    ) {
        self.readLog(of: key, request) { shard, result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let read):
                shard.read(read) { shard, page in
                    guard let page else { return shard.readHistory(of: key, request, completion: completion) }
                    completion(page.map { HistoryFrames($0, of: read) })
                }
            }
        }
    }

    func detail(of key: RoomKey) -> RoomDetail? {
        guard let owned = self.owned[key] else { return nil }
        return RoomDetail(
            name: key.room,
            members: owned.room.members.count,
            subscribers: owned.subscribers.reduce(0, +),
            epoch: owned.room.epoch,
            seq: owned.room.lastSeq,
            history: owned.room.history,
            isObservable: owned.room.isObservable,
            windowBytes: owned.windowBytes,
            windowChunks: owned.window.chunks.count
        )
    }

    /// In the order of joining.
    func members(of key: RoomKey) -> [Sender] {
        self.owned[key]?.room.membersByJoining.map(\.sender) ?? []
    }

    /// The members of a room that are connected here, by their ids.
    func connected(to key: RoomKey, newest seq: UInt64) -> [ClientID: ConnectedMember] {
        guard let replica = self.replicas[key] else { return [:] }
        var result: [ClientID: ConnectedMember] = [:]
        for subscriber in replica.subscribers {
            let connection = subscriber.connection
            guard let identity = connection.session.identity else { continue }
            result[identity.clientID] = ConnectedMember(
                clientData: identity.clientData,
                authData: identity.authData,
                user: identity.user,
                lastSeq: subscriber.lastSeq,
                connection: MemberDetail.Connected(
                    address: connection.address?.description,
                    wireFormat: connection.wireFormat == .textLines ? "text" : "json",
                    since: connection.connectedAt,
                    lag: Int(clamping: seq - min(seq, subscriber.lastSeq)),
                    queuedBytes: connection.writer.waitingReplies
                )
            )
        }
        return result
    }

    /// The `seq` of a message of the memory window, by its id.
    func findInWindow(_ id: UniqueID, of key: RoomKey) -> UInt64? {
        guard let owned = self.owned[key] else { return nil }
        for chunk in owned.window.chunks {
            var start = 0
            for entry in chunk.entries {
                if entry.seq > 0, entry.kind != .redaction, owned.writer.isMessage(id, at: start, of: chunk.json) {
                    return entry.seq
                }
                start = Int(entry.jsonEnd)
            }
        }
        return nil
    }
}

/// A member's connection as its own loop knows it.
struct ConnectedMember: Sendable {
    var clientData: ByteBuffer?
    var authData: ByteBuffer?
    var user: String?
    /// The newest message of the room that it was sent.
    var lastSeq: UInt64
    var connection: MemberDetail.Connected
}

extension HistoryFrames {
    fileprivate init(_ page: LogPage, of read: HistoryRead) {
        let writer = PublishWriter(room: read.room.room)
        let frames = page.entries.map { entry in
            var frame = ByteBuffer()
            writer.writeStored(entry, into: &frame)
            return frame
        }
        self.init(frames: frames, hasMore: page.hasMore, epoch: read.epoch, seq: read.seq)
    }
}

extension ExternalPublishReceipt {
    fileprivate init(_ acknowledgement: Acknowledgement) {
        self.init(
            id: acknowledgement.stamp.id,
            seq: acknowledgement.seq,
            isDuplicate: acknowledgement.isDuplicate
        )
    }
}
