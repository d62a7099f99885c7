package import RoomModel

/// What a reply says to each kind of request. To a request that failed it says only its ``Reply/error``: look there first.
extension Reply {
    /// The answer to a publish.
    package func receipt() throws(BrokerFrameError) -> Receipt {
        guard let id = self.id else { throw BrokerFrameReader.missing(.id, "a UUID", of: "reply to a publish") }
        return Receipt(id: id, seq: self.seq, isDuplicate: self.isDuplicate)
    }

    package func handshake() throws(BrokerFrameError) -> HandshakeReply {
        try self.read("reply to a handshake") { reader throws(BrokerFrameError) in
            HandshakeReply(
                clientID: try reader.requiredString(.clientID),
                resumeToken: try reader.string(.resumeToken),
                resumed: try reader.flag(.resumed),
                requiresAuthentication: try reader.flag(.requireAuth) ?? false
            )
        }
    }

    package func subscription() throws(BrokerFrameError) -> SubscribeReply {
        try self.read("reply to a subscribe") { reader throws(BrokerFrameError) in
            SubscribeReply(
                epoch: try reader.string(.epoch).flatMap { Epoch($0) },
                seq: self.seq ?? 0,
                recovered: try reader.flag(.recovered)
            )
        }
    }

    package func history() throws(BrokerFrameError) -> HistoryReply {
        try self.read("reply to a history query") { reader throws(BrokerFrameError) in
            HistoryReply(entries: try reader.storedEntries(), more: try reader.requiredFlag(.more))
        }
    }

    /// The answer to a moderator's clearing: where the room stands.
    package func clearing() throws(BrokerFrameError) -> Position {
        try self.read("reply to a clearing") { reader throws(BrokerFrameError) in
            Position(epoch: Epoch(try reader.requiredString(.epoch)), seq: try reader.requiredSeq(.seq))
        }
    }

    /// The answer to a members query.
    package func memberList() throws(BrokerFrameError) -> MembersReply {
        try self.read("reply to a members query") { reader throws(BrokerFrameError) in
            let members = try reader.objects(.members)
            return MembersReply(members: members, count: try reader.integer(.memberCount, atLeast: 0) ?? members.count)
        }
    }

    private func read<Value>(
        _ subject: StaticString,
        _ body: (BrokerFrameReader) throws(BrokerFrameError) -> Value
    ) throws(BrokerFrameError) -> Value {
        // It was checked when the reply was decoded.
        try BrokerFrameReader.read(self.line, nestingLimit: .max) { reader throws(BrokerFrameError) in
            try body(reader.about(subject))
        }
    }
}
