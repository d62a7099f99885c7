import RoomClient

/// Writes the events of all rooms, one line each, and remembers how far it has got in each room.
actor TailWriter {
    let output: StandardOutput
    private let format: TailFormat
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
        case .message(let message):
            self.positions[room] = message.position ?? self.positions[room]
            if line != nil { self.left? -= 1 }
        case .gap(let gap):
            let last = gap.seqs.map { RoomPosition(epoch: gap.epoch, seq: $0.upperBound) }
            self.positions[room] = last ?? position ?? self.positions[room]
        case .redacted(let redaction): self.positions[room] = redaction.position
        case .cleared(let position, _): self.positions[room] = position
        case .members, .joined, .left, .updated, .notice, .muted, .unmuted: break
        }
        return self.left == 0
    }

    /// Where each room was left, in the order in which they were joined.
    var resumePoints: [(room: String, ResumePoint)] {
        self.rooms.compactMap { room in self.positions[room].map { (room, ResumePoint($0)) } }
    }
}
