import NIOCore
import RoomCore
import RoomModel

/// A hash of everything that rooms tell, in its order, and of what they are: to compare two processes.
struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ word: UInt64) {
        self.value = (self.value ^ word) &* 0x9e37_79b9_7f4a_7c15
        self.value ^= self.value >> 29
    }

    mutating func add(_ bytes: ByteBuffer) {
        self.add(UInt64(bytes.readableBytes))
        bytes.withUnsafeReadableBytes { bytes in
            let words = bytes.count / 8
            for index in 0..<words { self.add(bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)) }
            for index in 8 * words..<bytes.count { self.add(UInt64(bytes[index])) }
        }
    }

    mutating func add(_ text: String) { self.add(ByteBuffer(string: text)) }

    mutating func add(_ id: UniqueID) {
        self.add(id.high)
        self.add(id.low)
    }

    /// - Parameter frames: the batch, encoded.
    mutating func add(_ batch: RoomBatch, frames: ByteBuffer) {
        self.add(frames)
        for entry in batch.entries {
            self.add(entry.stamp.id)
            self.add(entry.seq)
            if case .presence(let change, let member) = entry.content {
                self.add(change.rawValue)
                self.add(member.json)
            }
        }
        for answer in batch.answers { self.add(answer) }
    }

    private mutating func add(_ answer: RoomAnswer) {
        self.add(UInt64(answer.place))
        self.add(UInt64((answer.connection?.shard ?? -1) + 1))
        self.add(answer.connection?.number ?? 0)
        switch answer.content {
        case .acknowledged(let acknowledgement):
            self.add(acknowledgement.stamp.id)
            self.add(acknowledgement.seq ?? 0)
            self.add(acknowledgement.isDuplicate ? 1 : 0)
        case .refused(_, let error), .joinRefused(let error):
            self.add("\(error.code)")
            self.add(error.text)
            self.add(UInt64(error.retryAfterMilliseconds ?? 0))
        case .joined(let admission):
            self.add(admission.grant.epoch.rawValue)
            self.add(admission.grant.seq)
            self.add(admission.snapshot?.list ?? ByteBuffer())
        case .detached: self.add(2)
        default: self.add("\(answer.content)")
        }
    }

    /// - Returns: a hash of what a partition is, whatever way it came to be so.
    static func state(of partition: Partition) -> UInt64 {
        var digest = Digest()
        for (incarnation, number) in partition.numbers.sorted(by: { $0.key < $1.key }) {
            digest.add(incarnation)
            digest.add(number)
        }
        digest.add(UInt64(partition.time.milliseconds))
        digest.add(UInt64(partition.time.steady))
        for (name, hosted) in partition.rooms.sorted(by: { $0.key.text < $1.key.text }) {
            let room = hosted.room
            digest.add(name.text)
            digest.add(room.epoch.rawValue)
            digest.add(room.lastSeq)
            digest.add(UInt64(room.subscribers.total))
            digest.add(UInt64(room.keys.count))
            digest.add(UInt64(room.keys.bytes))
            digest.add(UInt64(hosted.ids.milliseconds))
            digest.add(UInt64(bitPattern: Int64(hosted.ids.sequence)))
            for member in room.members.senders { digest.add(member.json) }
        }
        return digest.value
    }
}
