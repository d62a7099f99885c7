import RoomCore

extension ServerSyncs {
    /// - Parameter servers: what was found at each of the addresses that were named.
    init(_ servers: [ServerMonitoring.Server]) {
        var (ids, size): (Set<String>, Int) = ([], 0)
        for server in servers {
            switch server.answer {
            case .failure(let failure):
                self = .notAlways(
                    "the nats-server at \(server.address) cannot be asked whether it syncs always: \(failure.text)"
                )
                return
            case .success(let state):
                guard state.syncsAlways else {
                    self = .notAlways("the nats-server at \(server.address) has no sync_interval: always")
                    return
                }
                ids.insert(state.id)
                size = max(size, state.clusterSize)
            }
        }
        if servers.isEmpty {
            self = .unknown
        } else if ids.count < size {
            self = .notAlways("--cluster-monitoring names \(ids.count) of \(size) nats-servers")
        } else {
            self = .always
        }
    }
}
