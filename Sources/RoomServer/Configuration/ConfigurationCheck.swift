import RoomCluster
import RoomCore
import RoomModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Rules by which values have to agree with each other and with the machine.
struct ConfigurationCheck {
    let configuration: ServerConfiguration
    /// How the values that were given are called where they stand, by the option's key.
    let names: [String: String]

    func run() throws(ConfigurationError) {
        try self.checkTLS()
        try self.checkProxies()
        try self.checkSizes()
        try self.checkChannels()
        try self.checkCluster()
    }

    private func checkCluster() throws(ConfigurationError) {
        let cluster = self.configuration.cluster
        let pairs: [(first: (key: String, value: String?), second: (key: String, value: String?))] = [
            (("cluster-certificate", cluster.certificate), ("cluster-key", cluster.key)),
            (("cluster-user", cluster.user), ("cluster-password-file", cluster.passwordFile)),
            (("cluster-nkey", cluster.nkey), ("cluster-nkey-seed", cluster.nkeySeedFile)),
        ]
        for (first, second) in pairs where (first.value == nil) != (second.value == nil) {
            let missing = first.value == nil ? first.key : second.key
            throw .refused(
                "--\(first.key) and --\(second.key) go together: --\(missing) is missing"
                    + self.places([first.key, second.key])
            )
        }
        let logins = [
            ("cluster-credentials", cluster.credentials), ("cluster-user", cluster.user),
            ("cluster-nkey", cluster.nkey),
        ].filter { $0.1 != nil }.map(\.0)
        if logins.count > 1 {
            let names = logins.map { "--\($0)" }.joined(separator: " and ")
            throw .refused("\(names) are ways to log in, of which a node has one: leave one out" + self.places(logins))
        }
    }

    private func checkTLS() throws(ConfigurationError) {
        let listen = self.configuration.listen
        if (listen.tlsCertificate == nil) != (listen.tlsKey == nil) {
            let missing = listen.tlsKey == nil ? "--tls-key" : "--tls-certificate"
            let places = self.places(["tls-certificate", "tls-key"])
            throw .refused("TLS needs both --tls-certificate and --tls-key: \(missing) is missing" + places)
        }
        for (key, path) in [("tls-certificate", listen.tlsCertificate), ("tls-key", listen.tlsKey)] {
            guard let path, access(path, R_OK) != 0 else { continue }
            throw .refused("--\(key) \(path) cannot be read: \(String(cString: strerror(errno)))" + self.places([key]))
        }
    }

    private func checkProxies() throws(ConfigurationError) {
        let listen = self.configuration.listen
        guard listen.proxyProtocol == .required, listen.trustedProxies == nil else { return }
        throw .refused(
            """
            --proxy-protocol required needs to know whose headers to believe: name the proxies with --trusted-proxies, such as \
            --trusted-proxies 127.0.0.1 for one on this machine
            """ + self.places(["proxy-protocol", "trusted-proxies"])
        )
    }

    private func checkSizes() throws(ConfigurationError) {
        let limits = self.configuration.limits
        try self.check("max-message", limits.frame.message, fits: "max-line", limits.frame.line)
        try self.check("max-client-data", limits.frame.clientData, fits: "max-line", limits.frame.line)
        try self.check(
            "window-per-room",
            limits.windowPerRoom,
            fits: "window-total",
            limits.windowTotal
        )
        if let room = self.configuration.text.room, room.text.utf8.count > limits.frame.roomName {
            throw .refused(
                "--text-room \(room) is longer than --max-room-name \(limits.frame.roomName) allows"
                    + self.places(["text-room", "max-room-name"])
            )
        }
    }

    private func check(_ part: String, _ partSize: Int, fits whole: String, _ wholeSize: Int) throws(ConfigurationError)
    {
        if partSize <= wholeSize { return }
        let (partText, wholeText) = (UnitScale.bytes.format(partSize), UnitScale.bytes.format(wholeSize))
        throw .refused(
            "--\(part) \(partText) does not fit into --\(whole) \(wholeText): lower one or raise the other"
                + self.places([part, whole])
        )
    }

    /// Where those of the values stand that are not on the command line; empty where all are there, or are defaults.
    private func places(_ keys: [String]) -> String {
        let places = keys.compactMap { self.names[$0] }.filter { !$0.hasPrefix("--") }
        return places.isEmpty ? "" : " (\(places.joined(separator: "; ")))"
    }

    private func checkChannels() throws(ConfigurationError) {
        var seen: Set<ChannelID> = []
        for channel in self.configuration.channels where !seen.insert(channel.id).inserted {
            let places = self.places(["channel"])
            throw .refused("--channel \(channel.id) is given twice: put all of its settings into one" + places)
        }
    }
}
