package import NIOCore
package import RoomModel

/// The frames that name a room.
extension ClientFrameWriter {
    /// - Parameters:
    ///   - overflow: `nil` leaves it to the broker.
    ///   - presence: whether to be shown who is in the room; `nil` says nothing of it.
    package static func subscribe(
        room: RoomName,
        historyCount: Int = 0,
        since: Position? = nil,
        overflow: OverflowPolicy? = nil,
        presence: Bool? = nil,
        callback: Int64,
        into buffer: inout ByteBuffer
    ) {
        Self.write("subscribe", callback, into: &buffer) { frame in
            frame.field("room", room.text)
            if historyCount > 0 { frame.field("history_count", historyCount) }
            if let since { frame.field("since", since) }
            if let overflow { frame.field("overflow", overflow.rawValue) }
            if let presence { frame.field("presence", presence) }
        }
    }

    package static func unsubscribe(room: RoomName, callback: Int64?, into buffer: inout ByteBuffer) {
        Self.write("unsubscribe", callback, into: &buffer) { $0.field("room", room.text) }
    }

    package static func history(_ request: HistoryRequest, callback: Int64, into buffer: inout ByteBuffer) {
        Self.write("history", callback, into: &buffer) { frame in
            frame.field("room", request.room.text)
            switch request.anchor {
            case .newest: break
            case .before(let seq): frame.field("before_seq", seq)
            case .after(let seq): frame.field("after_seq", seq)
            }
            if let limit = request.limit { frame.field("limit", limit) }
        }
    }
}
