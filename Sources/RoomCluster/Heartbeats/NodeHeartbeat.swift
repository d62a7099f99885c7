import NIOCore
import RoomCore
import RoomJSON

/// What a node tells all others once a second.
struct NodeHeartbeat: Equatable, Sendable {
    var node: NodeNumber
    /// Of its machine.
    var host: String
    var version: String
    var isReady: Bool
    /// The place in the control stream up to which all changes are in effect there.
    var control: UInt64
    /// The records that it can read.
    var records = RecordLevel.newest
}

extension NodeHeartbeat {
    var bytes: ByteBuffer {
        let fields: [JSONTree.Field] = [
            .init("node", .integer(self.node.rawValue)), .init("host", .string(self.host)),
            .init("version", .string(self.version)), .init("ready", .bool(self.isReady)),
            .init("control", .integer(self.control)), .init("records", .integer(self.records.rawValue)),
        ]
        return JSONTree.object(fields).bytes
    }

    /// `nil` where it is none. A newer version may say more.
    init?(_ bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes), case .number(let digits)? = tree["node"],
            let number = UInt32(digits), case .string(let host)? = tree["host"],
            case .string(let version)? = tree["version"], case .bool(let isReady)? = tree["ready"],
            case .number(let place)? = tree["control"], let control = UInt64(place)
        else { return nil }
        self.init(
            node: NodeNumber(rawValue: number),
            host: host,
            version: version,
            isReady: isReady,
            control: control,
            records: Self.level(tree["records"])
        )
    }

    /// The first release said none, and a newer one may read more than is known here.
    private static func level(_ tree: JSONTree?) -> RecordLevel {
        guard let number = tree?.numberValue else { return .first }
        return RecordLevel(rawValue: Int(clamping: number)) ?? (number == 0 ? .first : .newest)
    }
}
