#if Cluster
import NIOCore
import RoomJSON
import RoomModel

/// JetStream's own questions, as JSON: libnats 3.4.1 does not know the newer fields.
struct JetStreamAPI: Sendable {
    let connection: NATSConnection

    /// A refusal of JetStream's, with its own number.
    struct Refusal: Equatable {
        let code: String
        let text: String

        /// The stream is not there.
        var isNotFound: Bool { self.code == "10059" }
        /// Another node made it, otherwise, in between.
        var isTaken: Bool { self.code == "10058" }
        /// More replicas than servers that could have one: not clustered, no peers, no room on them.
        var isForReplicas: Bool { ["10074", "10005", "10023"].contains(self.code) }
        /// The account, or the server, has no JetStream.
        var isForJetStream: Bool { ["10039", "10076", "10035"].contains(self.code) }
        /// Servers elect a leader.
        var isForNow: Bool { ["10008", "10009"].contains(self.code) }
        /// There is no such message.
        var isNoMessage: Bool { self.code == "10037" }
        /// Another change came first.
        var isForSequence: Bool { self.code == "10071" }
    }

    enum Answer {
        case tree(JSONTree)
        case refusal(Refusal)

        var text: String {
            switch self {
            case .tree(let tree): tree.shown
            case .refusal(let refusal): refusal.text
            }
        }
    }

    /// Asks until there is an answer: while servers elect a leader there is none.
    func ask(_ subject: String, _ question: JSONTree? = nil) async throws(ClusterFailure) -> Answer {
        try await self.ask(subject, bytes: question?.bytes ?? ByteBuffer())
    }

    /// Appends to the stream of a subject, and waits for the acknowledgement.
    func append(
        _ bytes: ByteBuffer,
        to subject: String,
        headers: [(name: String, value: String)]
    ) async throws(ClusterFailure) -> Answer {
        try await self.ask(subject, bytes: bytes, headers: headers)
    }

    private func ask(
        _ subject: String,
        bytes: ByteBuffer,
        headers: [(name: String, value: String)] = []
    ) async throws(ClusterFailure) -> Answer {
        for _ in 0..<10 {
            let answer = await self.connection.request(bytes, of: subject, headers: headers, within: .seconds(3))
            switch answer {
            case .bytes(let bytes):
                guard let tree = try? JSONTree.read(bytes) else {
                    throw ClusterFailure(.refused, "the answer to \(subject) is not JSON")
                }
                guard let refusal = Self.refusal(tree) else { return .tree(tree) }
                guard refusal.isForNow else { return .refusal(refusal) }
            case .nobody, .none: break
            }
            // Time for an election; a cancelled start ends sooner.
            try? await Task.sleep(for: .milliseconds(200))
        }
        throw ClusterFailure(
            .noAnswer,
            "nobody answers \(subject): JetStream has no leader, or this user may not publish to it"
        )
    }

    private static func refusal(_ tree: JSONTree) -> Refusal? {
        guard let error = tree["error"] else { return nil }
        var text = "no reason"
        if case .string(let description)? = error["description"] { text = description }
        guard case .number(let code)? = error["err_code"] ?? error["code"] else { return Refusal(code: "", text: text) }
        return Refusal(code: code, text: text)
    }
}
#endif
