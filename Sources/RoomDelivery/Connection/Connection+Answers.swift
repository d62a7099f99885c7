import NIOCore
import RoomCore
import RoomJSON
import RoomModel
import RoomWire

/// Answers of rooms and of moderation to what the client asked. The session may have ended meanwhile.
extension Connection {
    func acknowledged(_ acknowledgement: Acknowledgement) {
        guard let callback = acknowledgement.origin.callback else { return }
        self.lifecycle.awaited -= 1
        self.shard.tally.counters.acknowledgements += 1
        self.writer.reply { buffer in
            AcknowledgementWriter.write(
                callback: callback,
                seq: acknowledgement.seq,
                isDuplicate: acknowledgement.isDuplicate,
                stamp: acknowledgement.stamp,
                into: &buffer
            )
        }
        self.shard.enqueue(self)
    }

    /// The owner has refused what this connection asked of it.
    func refused(_ error: RequestError, to origin: Origin) {
        self.refuse(error)
        if origin.isQuery {
            self.queryAnswered()
        } else if origin.callback != nil {
            self.lifecycle.awaited -= 1
        }
    }

    func answerMembers(_ origin: Origin, _ list: MemberSnapshot) {
        guard let callback = origin.callback else { return }
        self.reply { frame in
            frame.field("callback", callback)
            frame.memberList("members", list)
        }
        // behind the answer: it may have the next query handled, unless too much is unread
        self.queryAnswered()
    }

    func readHistory(_ query: HistoryRead) {
        query.run(in: self.shard.context, for: .connection(self.ref)) {
            [home = self.shard.ref, number = self.ref.number] owner, result in
            guard let result else { return owner.readAgain(query) }
            home.post { shard in shard.connections[number]?.historyRead(query, result) }
        }
    }

    private func historyRead(_ query: HistoryRead, _ result: Result<LogPage, RequestError>) {
        guard let callback = query.origin.callback, let member = self.member else { return }
        // it may have been banned while the page was read
        switch member.session.ban(from: query.room.room).map({ .failure($0) }) ?? result {
        case .failure(let error):
            self.refused(error.answering(callback), to: query.origin)
        case .success(let page):
            let writer = PublishWriter(room: query.room.room)
            self.reply { frame in
                frame.field("callback", callback)
                frame.field("messages", array: page.entries) { writer.writeStored($0, into: &$1) }
                frame.field("more", page.hasMore)
                if let lost = page.lost { frame.lostMessages(lost) }
            }
            self.queryAnswered()
        }
    }

    func moderated(_ result: Result<ModerationReceipt, RequestError>, callback: Int64?) {
        switch result {
        case .failure(let error): self.refuse(error.answering(callback))
        case .success(let receipt):
            if let callback { self.reply { $0.moderated(receipt, callback: callback) } }
        }
        self.queryAnswered()
    }

    private func queryAnswered() {
        self.lifecycle.awaited -= 1
        self.member?.session.queryAnswered()
        self.onEvent?(.ready)
    }
}

extension FrameWriter {
    fileprivate mutating func moderated(_ receipt: ModerationReceipt, callback: Int64) {
        self.field("callback", callback)
        switch receipt {
        case .done, .notified: return
        case .redacted(let redaction):
            if let seq = redaction.seq { self.field("seq", seq) } else { self.field("duplicate", true) }
            self.field("target_seq", redaction.targetSeq)
            self.field("target_id", redaction.targetID)
        case .redactedAll(let messages):
            self.field("count", messages.count)
            if let next = messages.next { self.field("after_seq", next) }
        case .cleared(let epoch):
            self.field("epoch", epoch.description)
            self.field("seq", 0)
        case .shown(let state):
            self.moderation(of: state.rules, state.sanctions, total: state.total)
            guard let author = state.author else { return }
            let known: [JSONTree.Field] = .present("user", author.user) + .present("client_id", author.client?.text)
            self.field("author", json: ByteBuffer(string: JSONTree.object(known).text))
        }
    }
}
