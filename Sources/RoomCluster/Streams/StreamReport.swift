#if Cluster
import NIOCore
import RoomCore
import RoomJSON

/// What the servers say of the cluster's streams now.
struct StreamReport {
    let settings: StreamSettings
    let connection: NATSConnection

    func streams() async -> [ClusterReport.Stream] {
        await withTaskGroup { group in
            for (index, name) in self.settings.streams.enumerated() {
                group.addTask { (index, await self.stream(name.stream)) }
            }
            var found: [Int: ClusterReport.Stream] = [:]
            for await (index, stream) in group { found[index] = stream }
            return found.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func stream(_ name: String) async -> ClusterReport.Stream {
        let partition = (0..<self.settings.partitions).first { self.settings.name.partition($0).stream == name }
        var stream = ClusterReport.Stream(name: name, partition: partition, newest: nil, leader: nil, servers: [])
        let subject = "$JS.API.STREAM.INFO.\(name)"
        guard case .bytes(let bytes) = await self.connection.request(ByteBuffer(), of: subject, within: .seconds(1)),
            let tree = try? JSONTree.read(bytes), case .number(let newest)? = tree["state"]?["last_seq"]
        else { return stream }
        guard let cluster = tree["cluster"], case .string(let leader)? = cluster["leader"] else {
            // one that leads no more answers for a while, too
            if self.settings.replicas == 1 { stream.newest = UInt64(newest) }
            return stream
        }
        stream.newest = UInt64(newest)
        stream.leader = leader
        stream.servers = [.init(name: leader, isCurrent: true)]
        guard case .array(let replicas)? = cluster["replicas"] else { return stream }
        stream.servers += replicas.compactMap { replica in
            guard case .string(let name)? = replica["name"] else { return nil }
            return .init(name: name, isCurrent: replica["current"] == .bool(true) && replica["offline"] != .bool(true))
        }
        return stream
    }
}
#endif
