import NIOCore
import RoomModel

/// Replies and errors.
extension BrokerFrameReader {
    func reply(callback: Int64) throws(BrokerFrameError) -> Reply {
        Reply(
            callback: callback,
            error: try self.error(),
            id: try self.uniqueID(.id),
            seq: try self.seq(.seq),
            isDuplicate: try self.flag(.duplicate) ?? false,
            line: self.line
        )
    }

    func failure() throws(BrokerFrameError) -> BrokerFrame {
        let error = try self.required(.error, try self.error(), "a string")
        let room = try self.string(.room).map { RoomName($0) }
        return .failure(error, room: room, messageID: try self.uniqueID(.messageID))
    }

    /// The entries of a page of history. Those of kinds that newer brokers have are left out.
    func storedEntries() throws(BrokerFrameError) -> [StoredEntry] {
        var entries: [StoredEntry] = []
        for object in try self.objects(.messages) {
            let entry = try Self.read(object, nestingLimit: .max) { reader throws(BrokerFrameError) in
                try reader.storedEntry()
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    private func storedEntry() throws(BrokerFrameError) -> StoredEntry? {
        let place = try self.required(.type, self.value(.type), "\"publish\"")
        let type: BrokerFrameType? = try self.word(at: place, .type)
        switch type {
        case .publish: return .message(try self.about("stored publish").message(isHistory: true))
        case .messageRedacted: return .redaction(try self.about("stored message_redacted").redaction())
        default: return nil
        }
    }

    /// The gap of a page of history; `nil` if there is none.
    func historyGap() throws(BrokerFrameError) -> HistoryGap? {
        guard self.value(.gap) != nil else { return nil }
        return try Self.read(try self.object(.gap), nestingLimit: .max) { reader throws(BrokerFrameError) in
            try reader.about("gap of a history page").gap()
        }
    }

    private func gap() throws(BrokerFrameError) -> HistoryGap? {
        let (from, through) = (try self.requiredSeq(.fromSeq), try self.requiredSeq(.toSeq))
        guard from <= through else { return nil }
        return HistoryGap(seqs: from...through, reason: try self.requiredString(.reason))
    }

    private func error() throws(BrokerFrameError) -> ReplyError? {
        guard let text = try self.string(.error) else { return nil }
        return ReplyError(
            code: try self.string(.code) ?? ReplyError.unknownCode,
            text: text,
            retryAfterMilliseconds: try self.integer(.retryAfter, atLeast: 0)
        )
    }
}
