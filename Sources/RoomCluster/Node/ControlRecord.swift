import NIOCore
import RoomCore
import RoomJSON

/// What the control stream of a cluster has at one place, as JSON, so that the tools of NATS show it.
enum ControlRecord: Equatable {
    /// A node has begun: the place is its number.
    case node(host: String, version: String)
    /// A change, with the node that wants it, and how many this node has wanted before.
    case change(ControlChange, by: NodeNumber, number: UInt64)

    var bytes: ByteBuffer {
        switch self {
        case .node(let host, let version):
            let node = JSONTree.object([.init("version", .string(version)), .init("host", .string(host))])
            return JSONTree.object([.init("node", node)]).bytes
        case .change(let change, let node, let number):
            return JSONTree.object([
                .init("by", .integer(node.rawValue)), .init("number", .integer(number)), .init("make", change.json),
            ]).bytes
        }
    }

    /// `nil`: it is none that this version knows.
    init?(_ bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes) else { return nil }
        if let node = tree["node"] {
            guard case .string(let host)? = node["host"], case .string(let version)? = node["version"] else {
                return nil
            }
            self = .node(host: host, version: version)
        } else {
            guard case .number(let by)? = tree["by"], let node = UInt32(by), case .number(let digits)? = tree["number"],
                let number = UInt64(digits), let change = tree["make"].flatMap(ControlChange.init)
            else { return nil }
            self = .change(change, by: NodeNumber(rawValue: node), number: number)
        }
    }
}
