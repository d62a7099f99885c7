import Foundation
import NIOCore
import RoomHost

/// Whether the addresses that a broker is to listen on are free, or its own already.
struct PortCheck {
    let configuration: ServerConfiguration
    let broker: BrokerPresence

    func findings() -> [Finding] {
        let listen = self.configuration.listen
        var addresses = [(address: listen.tcp, flag: "--tcp")]
        if let http = listen.http { addresses.append((http, "--http")) }
        let used = addresses.filter { !self.isUnused($0.address) }
        let running = used.count < addresses.count ? [self.running] : []
        return running + used.map { self.finding($0.address, flag: $0.flag) }
    }

    /// Whether nobody has named it, and the broker that runs listens elsewhere.
    private func isUnused(_ address: ListenAddress) -> Bool {
        let defaults = ListenSettings()
        guard address == defaults.tcp || address == defaults.http else { return false }
        let ports = self.broker.process.map { HostProcess(id: $0).ports } ?? []
        return !ports.isEmpty && !ports.contains(address.port)
    }

    private var running: Finding {
        let process = self.broker.process.map { " (process \($0))" } ?? ""
        return Finding("port", .ok, "the broker that runs\(process) listens on: \(self.ports)")
    }

    private var ports: String {
        (self.broker.process.map { HostProcess(id: $0).ports } ?? []).map(String.init).joined(separator: ", ")
    }

    private func finding(_ address: ListenAddress, flag: String) -> Finding {
        if address.port == 0 { return Finding("port", .ok, "\(flag) \(address): the system picks a free port") }
        switch Self.bind(address) {
        case 0: return Finding("port", .ok, "\(flag) \(address) is free")
        case EADDRINUSE: return self.taken(address, flag)
        case EACCES:
            return Finding(
                "port",
                .problem,
                "\(flag) \(address): you may not listen on ports below 1024",
                advice: "name a higher one, or give the broker CAP_NET_BIND_SERVICE"
            )
        case let code:
            return Finding(
                "port",
                .problem,
                "\(flag) \(address) cannot be listened on: \(String(cString: strerror(code)))",
                advice: "name an address of this machine with \(flag)"
            )
        }
    }

    private func taken(_ address: ListenAddress, _ flag: String) -> Finding {
        let holder = HostProcess.holder(ofPort: address.port)
        if let process = self.broker.process, holder?.id == process {
            return Finding("port", .ok, "\(flag) \(address) is held by the broker that runs (process \(process))")
        }
        let text =
            holder.map { "process \($0.id), \($0.name)" } ?? "another process, which only its user or root can see"
        if self.mayBeHeldByBroker(holder) {
            return Finding(
                "port",
                .warning,
                "\(flag) \(address) is held by \(text); that may be the broker of the data directory",
                advice: "run the doctor as the user that the broker runs as, or as root, and where it runs"
            )
        }
        if let process = self.broker.process {
            let isOtherProgram = holder.map { !$0.isRoomline } ?? false
            return Finding(
                "port",
                isOtherProgram ? .problem : .warning,
                "\(flag) \(address) is held by \(text); the broker that runs (process \(process)) listens on: \(self.ports)",
                advice:
                    "give the doctor the options of that broker; if you start one with these, it cannot listen there"
            )
        }
        if holder?.isRoomline == true {
            return Finding(
                "port",
                .problem,
                "\(flag) \(address) is held by \(text), the broker of another data directory",
                advice: "if you start one with these settings, name another address with \(flag) HOST:PORT; to look at "
                    + "the one that runs, name its directory with --data"
            )
        }
        return Finding(
            "port",
            .problem,
            "\(flag) \(address) is held by \(text)",
            advice: "end that one, or name another address with \(flag) HOST:PORT"
        )
    }

    /// - Parameter holder: `nil` where it cannot be seen.
    private func mayBeHeldByBroker(_ holder: HostProcess?) -> Bool {
        guard self.broker != .none else { return false }
        guard let holder else { return true }
        return self.broker.process == nil && holder.isRoomline
    }

    /// 0 where the address is free, else what the system says. It is not listened on, and given back at once.
    private static func bind(_ address: ListenAddress) -> Int32 {
        guard let socketAddress = try? SocketAddress.makeAddressResolvingHost(address.host, port: address.port) else {
            return EADDRNOTAVAIL
        }
        let family = socketAddress.protocol == .inet6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var isOn: Int32 = 1
        // As the broker does: what is left of old connections does not count.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let result = socketAddress.withSockAddr { Foundation.bind(descriptor, $0, socklen_t($1)) }
        return result == 0 ? 0 : errno
    }
}
