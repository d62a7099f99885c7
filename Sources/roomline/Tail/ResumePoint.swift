import ArgumentParser
import RoomClient

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
