import NIOCore
import RoomCore
import RoomJSON

/// A change of a cluster's control file that can be read is the same one when it is written again.
enum ControlFuzz: FuzzTarget {
    static let name = "control"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        guard let tree = try? JSONTree.read(bytes.buffer), let change = ControlChange(tree) else { return }
        try demand(ControlChange(try JSONTree.read(change.json.bytes)) == change, "another change of its own JSON")
    }
}
