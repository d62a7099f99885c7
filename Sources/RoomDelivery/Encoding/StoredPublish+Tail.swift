import NIOCore
package import RoomCore
import RoomJSON
import RoomModel

extension StoredPublish {
    /// Restores what the store knows of an earlier publish: its answer is read from the bytes that were stored.
    package init?(_ entry: OpenedLog.KeyedEntry) {
        var object = ByteBuffer(string: "{")
        object.writeImmutableBuffer(entry.tail)
        guard let id = JSONFields.string(of: "id", in: object).flatMap({ UniqueID($0.utf8) }),
            let range = JSONFields.range(of: "sender", in: object),
            let sender = object.getSlice(at: object.readerIndex + range.lowerBound, length: range.count)
        else { return nil }
        let clientID = JSONFields.string(of: "client_id", in: object).map { ClientID($0) }
        // copied out: a slice would keep the whole message
        let json = ByteBuffer(bytes: sender.readableBytesView)
        let stamp = Stamp(id: id, sender: Sender(clientID: clientID, json: json))
        self.init(key: entry.key, seq: entry.seq, stamp: stamp)
    }
}
