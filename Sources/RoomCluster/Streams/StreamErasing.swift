#if Cluster
import Foundation
import NIOCore
import RoomJSON

/// Puts another record in the place of one that is erased from a stream.
struct StreamErasing {
    let api: JetStreamAPI
    let cluster: ClusterName
    let stream: StreamName

    private struct Message {
        let place: UInt64
        let nanoseconds: Int64
        let bytes: ByteBuffer
    }

    /// The first place that the stream took at a time or later, if its clocks were right.
    ///
    /// - Returns: `nil`: it has none.
    func firstPlace(since milliseconds: Int64) async throws(ClusterFailure) -> UInt64? {
        let subject = "$JS.API.STREAM.INFO.\(self.stream.stream)"
        guard case .tree(let tree) = try await self.api.ask(subject),
            let first = tree["state"]?["first_seq"]?.numberValue,
            let last = tree["state"]?["last_seq"]?.numberValue
        else { throw self.failure("cannot be asked for its extent") }
        var (low, high) = (max(first, 1), last + 1)
        while low < high {
            let middle = low + (high - low) / 2
            guard
                let message = try await self.message([
                    "seq": .integer(middle), "next_by_subj": .string(self.stream.subject),
                ])
            else {
                high = middle
                continue
            }
            if message.nanoseconds / 1_000_000 >= milliseconds { high = middle } else { low = message.place + 1 }
        }
        return low > last ? nil : low
    }

    /// Stores what stands in the place of a record from now on, then erases the record: its bytes are overwritten.
    ///
    /// - Parameters:
    ///   - time: when the stream took the record, in Unix milliseconds.
    ///   - old: what stands in the place. Where it is something else by now, nothing is done.
    func replace(
        _ place: UInt64,
        takenAt time: Int64,
        _ old: ByteBuffer,
        by new: ByteBuffer
    ) async throws(ClusterFailure) {
        let subject = self.cluster.replacement(at: place, of: self.stream)
        let present = try await self.message(["last_by_subj": .string(subject)], of: self.cluster.redacted)
        if present?.bytes != new {
            guard present.map({ $0.bytes == old }) ?? true else {
                // whoever has stored it may not have come to this; the next try reads what is there
                try await self.erase(place, of: self.stream)
                throw self.failure("\(place) was replaced by another node")
            }
            try await self.store(new, at: subject, takenAt: time, expecting: present?.place ?? 0)
        }
        try await self.erase(place, of: self.stream)
        try await self.eraseOlder(subject)
    }

    private func store(
        _ bytes: ByteBuffer,
        at subject: String,
        takenAt time: Int64,
        expecting last: UInt64
    ) async throws(ClusterFailure) {
        let headers = [
            (StreamRequests.replacementTime, String(time)), ("Nats-Expected-Last-Subject-Sequence", String(last)),
        ]
        switch try await self.api.append(bytes, to: subject, headers: headers) {
        case .tree: return
        case .refusal(let refusal) where refusal.isForSequence:
            // our own first try may have been stored
            let present = try await self.message(["last_by_subj": .string(subject)], of: self.cluster.redacted)
            guard present?.bytes == bytes else { throw self.failure("another node replaces the same record") }
        case .refusal(let refusal): throw self.failure(refusal.text)
        }
    }

    /// Of what has stood in the place only the newest stays.
    private func eraseOlder(_ subject: String) async throws(ClusterFailure) {
        let redacted = self.cluster.redacted
        guard let newest = try await self.message(["last_by_subj": .string(subject)], of: redacted) else { return }
        while let oldest = try await self.message(
            ["seq": .integer(1), "next_by_subj": .string(subject)],
            of: redacted
        ),
            oldest.place < newest.place
        {
            try await self.erase(oldest.place, of: redacted)
        }
    }

    private func erase(_ place: UInt64, of stream: StreamName) async throws(ClusterFailure) {
        let question = JSONTree.object([.init("seq", .integer(place)), .init("no_erase", .bool(false))])
        guard
            case .refusal(let refusal) = try await self.api.ask("$JS.API.STREAM.MSG.DELETE.\(stream.stream)", question)
        else { return }
        // an answer that was lost: it is erased already
        guard try await self.message(["seq": .integer(place)], of: stream) == nil else {
            throw self.failure(refusal.text)
        }
    }

    /// - Returns: `nil`: the stream has no such message.
    private func message(
        _ question: KeyValuePairs<String, JSONTree>,
        of stream: StreamName? = nil
    ) async throws(ClusterFailure) -> Message? {
        let name = (stream ?? self.stream).stream
        let fields = question.map { JSONTree.Field($0.key, $0.value) }
        switch try await self.api.ask("$JS.API.STREAM.MSG.GET.\(name)", .object(fields)) {
        case .refusal(let refusal) where refusal.isNoMessage: return nil
        case .refusal(let refusal): throw self.failure(refusal.text)
        case .tree(let tree):
            guard let message = tree["message"], let place = message["seq"]?.numberValue,
                let time = message["time"]?.stringValue.flatMap(StreamTime.nanoseconds),
                let bytes = Data(base64Encoded: message["data"]?.stringValue ?? "")
            else { throw self.failure("a message cannot be read") }
            return Message(place: place, nanoseconds: time, bytes: ByteBuffer(bytes: bytes))
        }
    }

    private func failure(_ text: String) -> ClusterFailure {
        ClusterFailure(.refused, "\(self.stream.stream): \(text)")
    }
}
#endif
