import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Something that has happened to the log of a room, for each subscriber of one loop. The frame that they are sent of
/// it is encoded once.
final class LogChange {
    enum Event {
        /// The log is no more; what its window had comes before all that follows.
        case ended(ChunkWindow)
        /// The room goes on at `head`, where the list of members is.
        case cleared(RoomCleared, head: Cursor)
        /// The log was opened again and is another one; it goes on at `head`, behind this message.
        case restarted(after: UInt64, head: Cursor)
        /// The log was opened again and goes on further, to this message.
        case goesOn(through: UInt64)
    }

    let event: Event
    /// The epochs of the log before the change, and after it.
    let epochs: (before: Epoch, after: Epoch)
    /// The frame that a client with control frames is sent of it.
    let frame: ByteBuffer

    init(_ event: Event, of room: RoomName, epochs: (before: Epoch, after: Epoch), stamp: () -> Stamp) {
        self.event = event
        self.epochs = epochs
        var frame = ByteBuffer()
        switch event {
        case .ended, .goesOn: break
        case .cleared(let cleared, _):
            FrameWriter.write(into: &frame, stamp: cleared.stamp) {
                $0.frame(ClearingEvent(room: room, epoch: cleared.epoch.description))
            }
        case .restarted(let seq, _):
            let reason = Gap.Reason.epoch.rawValue
            let gap = GapEvent(room: room, epoch: epochs.after.description, from: 1, through: seq, reason: reason)
            FrameWriter.write(into: &frame, stamp: stamp()) { $0.frame(gap) }
        }
        self.frame = frame
    }
}

/// The changes of a room's log that have not come to all subscribers of the loop yet: there may be thousands, who are
/// told in the turns of the fan-out, or when one of them is written to before.
struct LogChanges {
    private var waiting: [LogChange] = []
    /// The number of all changes so far.
    private(set) var count = 0
    /// Subscribers to whom not all have come.
    private var behind = 0

    var isEmpty: Bool { self.waiting.isEmpty }

    /// `nil`: it has come to all of them, or has not happened.
    subscript(number: Int) -> LogChange? {
        let index = number - (self.count - self.waiting.count)
        return self.waiting.indices.contains(index) ? self.waiting[index] : nil
    }

    /// - Parameter subscribers: how many there are.
    mutating func append(_ change: LogChange, for subscribers: Int) {
        self.count += 1
        guard subscribers > 0 else { return }
        self.waiting.append(change)
        self.behind = subscribers
    }

    /// All have come to one more subscriber, or it is gone.
    mutating func cameToOne() {
        self.behind -= 1
        if self.behind == 0 { self.waiting = [] }
    }
}
