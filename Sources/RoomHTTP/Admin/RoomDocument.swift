import RoomDelivery
import RoomJSON
import RoomMetrics
import RoomModel
import RoomWire

/// Rooms, members and receipts as the admin API shows them.
enum RoomDocument {
    static func tree(_ room: RoomSummary, _ rules: RoomRules) -> JSONTree {
        var fields: [JSONTree.Field] = [
            .init("name", .string(room.name.text)), .init("members", .integer(room.members)),
        ]
        if let rate = room.messagesPerSecond { fields.append(self.rate(rate)) }
        if !rules.isEmpty { fields.append(.init("rules", rules.tree)) }
        return .object(fields)
    }

    static func tree(_ room: RoomDetail, in channel: ChannelID, _ rules: RoomRules) -> JSONTree {
        .object([
            .init("channel", .string(channel.text)),
            .init("name", .string(room.name.text)),
            .init("members", .integer(room.members)),
            .init("subscribers", .integer(room.subscribers)),
            .init("epoch", .string("\(room.epoch)")),
            .init("seq", .integer(room.seq)),
            .init("history", ChannelDocument.history(room.history)),
            .init("observable", .bool(room.isObservable)),
            self.rate(room.messagesPerSecond),
            .init("rules", rules.tree),
            .init(
                "window",
                .object([
                    .init("bytes", .integer(room.windowBytes)), .init("chunks", .integer(room.windowChunks)),
                ])
            ),
        ])
    }

    private static func rate(_ messagesPerSecond: Double) -> JSONTree.Field {
        .init("messages_per_second", .number("\(messagesPerSecond)"))
    }

    static func tree(_ member: MemberDetail, isMuted: Bool) -> JSONTree {
        var fields = [JSONTree.Field("id", .string(member.id.text))]
        if let data = member.clientData { fields.append(.init("client_data", .verbatim(data))) }
        if let data = member.authData { fields.append(.init("auth_data", .verbatim(data))) }
        fields += .present("user", member.user)
        if isMuted { fields.append(.init("muted", .bool(true))) }
        fields.append(.init("connection", .optional(member.connection, self.tree)))
        return .object(fields)
    }

    private static func tree(_ connection: MemberDetail.Connected) -> JSONTree {
        .object([
            .init("address", .optional(connection.address) { .string($0) }),
            .init("wire_format", .string(connection.wireFormat)),
            .init("connected_at", .time(milliseconds: connection.since)),
            .init("lag", .integer(connection.lag)),
            .init("queued_bytes", .integer(connection.queuedBytes)),
        ])
    }

    static func tree(_ member: SlowMembers.Member) -> JSONTree {
        var fields = [
            JSONTree.Field("channel", .string(member.room.channel.text)), .init("room", .string(member.room.room.text)),
            .init("id", .string(member.id.text)),
        ]
        if let data = member.clientData { fields.append(.init("client_data", .verbatim(data))) }
        return .object(fields + [.init("lag", .integer(member.lag))])
    }

    static func tree(_ connection: BusyConnections.Connection) -> JSONTree {
        var fields: [JSONTree.Field] = []
        if let member = connection.flow.member {
            fields = [.init("channel", .string(member.channel.text)), .init("id", .string(member.id.text))]
            if let data = member.clientData { fields.append(.init("client_data", .verbatim(data))) }
        }
        fields.append(.init("address", .optional(connection.flow.address) { .string("\($0)") }))
        return .object(fields + [.init("loop_percent", .integer(connection.percent))])
    }

    static func tree(_ address: BusyConnections.Address) -> JSONTree {
        .object([
            .init("address", .string("\(address.address)")), .init("connections", .integer(address.connections)),
            .init("loop_percent", .integer(address.percent)),
        ])
    }

    static func tree(_ room: BusyConnections.Room) -> JSONTree {
        .object([
            .init("channel", .string(room.room.channel.text)), .init("room", .string(room.room.room.text)),
            .init("loop_percent", .integer(room.percent)),
        ])
    }

    static func tree(_ sample: FigureSample) -> JSONTree {
        let formats = sample.wireFormats.sorted { $0.key < $1.key }.map { JSONTree.Field($0.key, .integer($0.value)) }
        var fields: [JSONTree.Field] = [
            .init("time", .time(milliseconds: sample.time)), .init("connections", .integer(sample.connections)),
            .init("wire_formats", .object(formats)), .init("rooms", .integer(sample.rooms)),
            .init("members", .integer(sample.members)),
        ]
        if let bytes = sample.residentBytes { fields.append(.init("resident_bytes", .integer(bytes))) }
        let rates = [
            ("publishes", sample.publishes), ("deliveries", sample.deliveries),
            ("commit_median", sample.commitMedian), ("commit_99th", sample.commit99th),
            ("loop_99th", sample.loop99th), ("loop_longest", sample.loopLongest),
        ]
        for case (let name, let value?) in rates { fields.append(.init(name, .number("\(value)"))) }
        return .object(fields)
    }

    static func tree(_ receipt: ExternalPublishReceipt) -> JSONTree {
        var fields = [JSONTree.Field("id", .string("\(receipt.id)"))]
        if let seq = receipt.seq { fields.append(.init("seq", .integer(seq))) }
        fields.append(.init("time", .time(milliseconds: receipt.id.milliseconds)))
        fields.append(.init("duplicate", .bool(receipt.isDuplicate)))
        return .object(fields)
    }

    static func tree(_ trace: MessageTrace, of id: UniqueID, in room: RoomKey) -> JSONTree {
        .object([
            .init("id", .string("\(id)")),
            .init("channel", .string(room.channel.text)),
            .init("room", .string(room.room.text)),
            .init("time", .time(milliseconds: id.milliseconds)),
            .init("epoch", .string("\(trace.epoch)")),
            .init("seq", .integer(trace.seq)),
            .init("stored", .bool(trace.isStored)),
            .init("passed", .integer(trace.passed)),
            .init(
                "lagging",
                .array(
                    trace.lagging.map { laggard in
                        .object([.init("id", .string(laggard.id.text)), .init("lag", .integer(laggard.lag))])
                    }
                )
            ),
        ])
    }
}
