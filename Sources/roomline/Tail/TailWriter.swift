import ArgumentParser
import Foundation
import RoomClient

/// Writes the events of all rooms, one line each, and remembers how far it has got in each room.
actor TailWriter {
    let output: StandardOutput
    private var format: TailFormat
    private var left: Int?
    private var rooms: [String] = []
    private var positions: [String: RoomPosition] = [:]

    /// - Parameter limit: how many messages are enough; `nil`: none are.
    init(output: StandardOutput, format: TailFormat, limit: Int?) {
        self.output = output
        self.format = format
        self.left = limit
    }

    func begin(_ room: String, at position: RoomPosition?) {
        self.rooms.append(room)
        self.positions[room] = position
    }

    /// - Parameter position: where the room stands now: where to go on after a gap that cannot be counted.
    /// - Returns: whether that was enough.
    func write(
        _ event: RoomEvent<JSON>,
        in room: String,
        at position: RoomPosition? = nil
    ) throws(StandardOutput.Closed) -> Bool {
        guard self.left != 0 else { return true }
        let line = self.format.line(for: event, in: room)
        if let line { try self.output.write(line + "\n") }
        switch event {
        case .gap(let gap):
            let last = gap.seqs.map { RoomPosition(epoch: gap.epoch, seq: $0.upperBound) }
            self.positions[room] = last ?? position ?? self.positions[room]
        case .message, .signal:
            if line != nil { self.left? -= 1 }
        default: break
        }
        self.positions[room] = event.position ?? self.positions[room]
        return self.left == 0
    }

    /// Where each room was left, in the order in which they were joined.
    var resumePoints: [(room: String, ResumePoint)] {
        self.rooms.compactMap { room in self.positions[room].map { (room, ResumePoint($0)) } }
    }
}

/// How an event becomes a line.
enum TailFormat: Sendable {
    case text(TailText)
    /// - Parameter escapesUnsafe: what a terminal would obey stands as `\u` escapes, which is the same JSON.
    case json(escapesUnsafe: Bool)

    /// `nil` for what this format does not show.
    mutating func line(for event: RoomEvent<JSON>, in room: String, now: Date = Date()) -> String? {
        switch self {
        case .text(var text):
            let line = text.line(for: event, in: room, now: now)
            self = .text(text)
            return line
        case .json(let escapesUnsafe):
            return TailObject.line(for: event, in: room, escapesUnsafe: escapesUnsafe)
        }
    }
}

/// `EPOCH:SEQ`: a place in a room's log, as an option.
struct ResumePoint: ExpressibleByArgument, CustomStringConvertible, Sendable {
    let position: RoomPosition

    init(_ position: RoomPosition) {
        self.position = position
    }

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 16, parts[0].allSatisfy(\.isHexDigit), let seq = UInt64(parts[1])
        else { return nil }
        self.position = RoomPosition(epoch: parts[0].lowercased(), seq: seq)
    }

    var description: String { "\(self.position.epoch):\(self.position.seq)" }
}
