import NIOCore
import RoomCore
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
        self.reply(to: callback, MembersReply(list))
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
            let tails = page.entries.map { StoredTail($0.tail, of: $0.kind.frameType) }
            let entries = HistoryEntries.stored(tails, PublishWriter(room: query.room.room))
            let gap = page.lost.map { HistoryGap.lost($0) }
            self.reply(to: callback, HistoryReply(entries, gap: gap, more: page.hasMore))
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
        switch receipt {
        case .done, .notified: self.reply(to: callback)
        case .redacted(let redaction):
            self.reply(
                to: callback,
                RedactReply(seq: redaction.seq, targetSeq: redaction.targetSeq, targetID: redaction.targetID)
            )
        case .redactedAll(let messages):
            self.reply(to: callback, RedactAllReply(count: messages.count, next: messages.next))
        case .cleared(let epoch): self.reply(to: callback, ClearReply(epoch: epoch))
        case .shown(let state):
            let author = state.author.map { ShownAuthor(user: $0.user, clientID: $0.client?.text) }
            self.reply(
                to: callback,
                ModerationStateReply(state.rules, state.sanctions, total: state.total, author: author)
            )
        }
    }
}
