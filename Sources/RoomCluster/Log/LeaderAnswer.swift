#if Cluster
import Foundation
import NIOCore
import RoomJSON

extension RecordOrder.Delivered {
    /// - Parameter message: of an answer to `$JS.API.STREAM.MSG.GET`.
    init?(message: JSONTree) {
        guard let place = message["seq"]?.numberValue,
            let nanoseconds = message["time"]?.stringValue.flatMap(StreamTime.nanoseconds),
            // an empty record has none
            let data = Data(base64Encoded: message["data"]?.stringValue ?? "")
        else { return nil }
        self.init(place: place, nanoseconds: nanoseconds, bytes: ByteBuffer(bytes: data))
    }
}
#endif
