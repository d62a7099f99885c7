import NIOCore

/// Follows one partition: an ordered consumer of its stream, made anew behind the last record that was applied whenever
/// something is missing or nothing is heard.
struct Follower {
    /// What is to be done after something was heard.
    enum Action: Equatable {
        case apply
        case none
        /// Something is missing: follow anew.
        case restart
    }

    let stream: String
    private let name: String
    private let subject: String
    private let heartbeat: Duration
    private(set) var generation = 0
    /// The last place of the stream that was delivered.
    private(set) var position: UInt64 = 0
    private var delivered: UInt64 = 0
    private var heard = ContinuousClock.now
    private(set) var restarts = -1

    /// - Parameter subject: the beginning of that of the deliveries.
    init(stream: String, name: String, subject: String, heartbeat: Duration) {
        self.stream = stream
        self.name = name
        self.subject = subject
        self.heartbeat = heartbeat
    }

    private var consumer: String { "\(self.name)-\(self.generation)" }

    /// That of the latest consumer's deliveries.
    var deliverySubject: String { "\(self.subject).\(self.generation)" }

    /// The API requests that make the consumer anew.
    mutating func restart() -> [(subject: String, json: String)] {
        var requests: [(subject: String, json: String)] = []
        if self.generation > 0 { requests.append(("$JS.API.CONSUMER.DELETE.\(self.stream).\(self.consumer)", "")) }
        self.generation += 1
        self.restarts += 1
        self.delivered = 0
        self.heard = .now
        let json = """
            {"stream_name":"\(self.stream)","config":{"name":"\(self.consumer)",\
            "deliver_subject":"\(self.deliverySubject)","deliver_policy":"by_start_sequence",\
            "opt_start_seq":\(self.position + 1),"ack_policy":"none","max_deliver":1,"flow_control":true,\
            "idle_heartbeat":\(Int(self.heartbeat / .nanoseconds(1))),"mem_storage":true,"num_replicas":1,\
            "inactive_threshold":5000000000}}
            """
        requests.append(("$JS.API.CONSUMER.CREATE.\(self.stream).\(self.consumer)", json))
        return requests
    }

    /// Nothing was heard of the consumer for so long that it must be gone.
    var isSilent: Bool { ContinuousClock.now - self.heard > self.heartbeat * 2 + .milliseconds(200) }

    mutating func received(_ delivery: ConsumerDelivery) -> Action {
        guard delivery.generation == self.generation else { return .none }
        self.heard = .now
        guard delivery.number == self.delivered + 1, delivery.sequence > self.position else { return .restart }
        self.delivered = delivery.number
        self.position = delivery.sequence
        return .apply
    }

    /// - Parameter last: the number of the consumer's newest delivery.
    mutating func heartbeat(generation: Int, last: UInt64?) -> Action {
        guard generation == self.generation else { return .none }
        self.heard = .now
        return last.map { $0 > self.delivered } ?? false ? .restart : .none
    }
}

/// What the server says of a message that a consumer is sent, in the subject for its answer:
/// `$JS.ACK.stream.consumer.times.sequence.number.nanoseconds.pending`.
struct ConsumerDelivery {
    let partition: Int
    let generation: Int
    /// The place in the stream.
    let sequence: UInt64
    /// Ascending without holes for each consumer.
    let number: UInt64
    /// When the stream took it, Unix time: the same on all servers.
    let nanoseconds: Int64
    /// How many are behind it in the stream.
    let pending: UInt64

    init?(_ reply: String) {
        let words = reply.utf8.split(separator: UInt8(ascii: "."))
        guard words.count == 9, let sequence = Self.number(words[5]), let number = Self.number(words[6]),
            let nanoseconds = Self.number(words[7]), let pending = Self.number(words[8])
        else { return nil }
        // as `Follower` names its consumers: incarnation, partition, generation
        let names = words[3].split(separator: UInt8(ascii: "-"))
        guard names.count == 3, let partition = Self.number(names[1]), let generation = Self.number(names[2]) else {
            return nil
        }
        self.partition = Int(partition)
        self.generation = Int(generation)
        self.sequence = sequence
        self.number = number
        self.nanoseconds = Int64(nanoseconds)
        self.pending = pending
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        digits.reduce(0) { number, digit in
            number.flatMap { (48...57).contains(digit) ? $0 &* 10 &+ UInt64(digit - 48) : nil }
        }
    }
}
