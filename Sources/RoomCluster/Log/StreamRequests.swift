#if Cluster
import NIOCore
import RoomJSON

/// What a node asks JetStream for to follow one stream, and where the answers come to.
struct StreamRequests: Sendable {
    let name: StreamName
    let cluster: ClusterName
    /// Names the consumers of this node's process.
    let incarnation: String
    /// See `ReplacementQuestions`.
    let patience: TimeAmount

    /// The answers' subject, without its last word.
    var inbox: String { "\(self.cluster.inbox).\(self.incarnation).\(self.name.stream)" }

    /// The subject itself: the server takes no wildcard for somebody who listens.
    func deliveries(_ generation: Int) -> String {
        "\(self.cluster.deliveries(of: self.incarnation)).\(self.name.stream).\(generation)"
    }

    private func consumer(_ generation: Int) -> String { "\(self.incarnation)-\(generation)" }

    /// The first heartbeat tells that the consumer is there.
    func create(_ generation: Int, behind place: UInt64) -> NATSRequest {
        let configuration = JSONTree.object([
            .init("name", .string(self.consumer(generation))),
            .init("deliver_subject", .string(self.deliveries(generation))),
            .init("deliver_policy", .string("by_start_sequence")),
            .init("opt_start_seq", .integer(place + 1)),
            .init("ack_policy", .string("none")),
            .init("max_deliver", .integer(1)),
            .init("flow_control", .bool(true)),
            .init("idle_heartbeat", .integer(Follower.heartbeat.nanoseconds)),
            .init("mem_storage", .bool(true)),
            .init("num_replicas", .integer(1)),
            .init("inactive_threshold", .integer(TimeAmount.seconds(5).nanoseconds)),
        ])
        return NATSRequest(
            subject: "$JS.API.CONSUMER.CREATE.\(self.name.stream).\(self.consumer(generation))",
            reply: "\(self.inbox).unheard",
            bytes: JSONTree.object([
                .init("stream_name", .string(self.name.stream)), .init("config", configuration),
            ]).bytes
        )
    }

    func delete(_ generation: Int) -> NATSRequest {
        NATSRequest(
            subject: "$JS.API.CONSUMER.DELETE.\(self.name.stream).\(self.consumer(generation))",
            reply: "\(self.inbox).unheard",
            bytes: ByteBuffer()
        )
    }

    /// Records behind a place, from whichever server is asked.
    func records(behind place: UInt64, question: Int) -> NATSRequest {
        let records = JSONTree.object([
            .init("seq", .integer(place + 1)), .init("next_by_subj", .string(self.name.subject)),
            .init("batch", .integer(128)), .init("max_bytes", .integer(4 << 20)),
        ])
        return NATSRequest(
            subject: "$JS.API.DIRECT.GET.\(self.name.stream)",
            reply: "\(self.inbox).\(question)",
            bytes: records.bytes
        )
    }

    /// A record that this node has had; only the stream's leader answers.
    func known(at place: UInt64) -> NATSRequest {
        NATSRequest(
            subject: "$JS.API.STREAM.MSG.GET.\(self.name.stream)",
            reply: "\(self.inbox).\(Self.knownWord)\(place)",
            bytes: JSONTree.object([.init("seq", .integer(place))]).bytes
        )
    }

    /// The next record behind a place; only the stream's leader answers.
    func next(behind place: UInt64) -> NATSRequest {
        let record = JSONTree.object([
            .init("seq", .integer(place + 1)), .init("next_by_subj", .string(self.name.subject)),
        ])
        return NATSRequest(
            subject: "$JS.API.STREAM.MSG.GET.\(self.name.stream)",
            reply: "\(self.inbox).\(Self.leaderWord)",
            bytes: record.bytes
        )
    }

    /// The place of a record that this node has had, from the last word of the subject that it comes to.
    static func knownPlace(_ word: Substring) -> UInt64? { self.place(in: word, behind: self.knownWord) }

    /// What stands in the place of an erased record, from whichever server is asked.
    func replacement(at place: UInt64) -> NATSRequest {
        let subject = self.cluster.replacement(at: place, of: self.name)
        return NATSRequest(
            subject: "$JS.API.DIRECT.GET.\(self.cluster.redacted.stream).\(subject)",
            reply: "\(self.inbox).\(Self.replacementWord)\(place)",
            bytes: ByteBuffer()
        )
    }

    /// The place of an erased record, from the last word of the subject that its replacement comes to.
    static func replacedPlace(_ word: Substring) -> UInt64? { self.place(in: word, behind: self.replacementWord) }

    private static func place(in word: Substring, behind prefix: String) -> UInt64? {
        word.hasPrefix(prefix) ? UInt64(word.dropFirst(prefix.count)) : nil
    }

    /// The last word of the subject that `next` is answered to.
    static let leaderWord = "leader"
    private static let replacementWord = "r"
    private static let knownWord = "k"
    /// The status of an answer that the stream has no such message.
    static let nothing = 404
    /// The header of a replacement that says when the log took the record, in Unix milliseconds.
    static let replacementTime = "Roomline-Time"

    /// The stream's first and last place, and what it has erased between them; only its leader answers.
    var extent: NATSRequest {
        NATSRequest(
            subject: "$JS.API.STREAM.INFO.\(self.name.stream)",
            reply: "\(self.inbox).\(StreamExtent.word)",
            bytes: JSONTree.object([.init("deleted_details", .bool(true))]).bytes
        )
    }
}

/// A message that asks for an answer.
struct NATSRequest: Sendable {
    let subject: String
    let reply: String
    let bytes: ByteBuffer
}

/// Which places a stream has.
struct StreamExtent: Sendable {
    /// The last word of the subject that the answer comes to.
    static let word = "extent"

    let first: UInt64
    let last: UInt64
    let erased: [UInt64]

    /// `nil` where the answer is a refusal.
    init?(_ bytes: ByteBuffer) {
        guard let state = (try? JSONTree.read(bytes))?["state"], let first = state["first_seq"]?.numberValue,
            let last = state["last_seq"]?.numberValue
        else { return nil }
        self.first = first
        self.last = last
        guard case .array(let erased)? = state["deleted"] else {
            self.erased = []
            return
        }
        self.erased = erased.compactMap(\.numberValue)
    }
}
#endif
