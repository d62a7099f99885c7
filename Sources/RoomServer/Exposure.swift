import Foundation
import Logging
import NIOCore
import RoomCore
import RoomModel

/// Whether strangers on other machines can reach what the broker serves, themselves or through a proxy: then every channel
/// has to ask for a token, unless `--allow-open-channels` says that it need not (promise: safe as it starts).
struct Exposure: Sendable {
    /// The flag and the address that can be reached; `nil` where there is none, or where open channels are allowed.
    private let reachable: (flag: String, address: ListenAddress)?
    /// The option that says that a proxy passes on what others ask: then loopback addresses are reached, too.
    private let proxy: String?

    init(_ listen: ListenSettings) {
        let isProxied = listen.trustedProxies != nil
        let isHTTPProxied = isProxied || !listen.httpHosts.isEmpty
        let addresses = [("--tcp", listen.tcp, isProxied), ("--http", listen.http, isHTTPProxied)]
            .compactMap { flag, address, isProxied in
                address.flatMap { $0.isLoopback && !isProxied ? nil : (flag: flag, address: $0) }
            }
        self.proxy = isProxied ? "--trusted-proxies" : isHTTPProxied ? "--http-host" : nil
        self.reachable = listen.allowsOpenChannels ? nil : addresses.first
    }

    /// Why a channel cannot be as it is; `nil` where it can.
    func refusal(of channel: ChannelSettings) -> String? {
        guard let reachable, channel.authentication != .required else { return nil }
        let isProxied = self.proxy != nil && reachable.address.isLoopback
        let way = isProxied ? " by way of \(self.proxy ?? "")" : ""
        let loopback = isProxied ? "" : "use a loopback address such as 127.0.0.1:\(reachable.address.port), "
        return """
            \(reachable.flag) \(reachable.address) can be reached from other machines\(way), and the channel \(channel.id) \
            is open: anybody there could read and write in all of its rooms. Have it ask for tokens with --channel \
            \(channel.id),auth=required, \(loopback)or add --allow-open-channels if that is what you want
            """
    }

    /// - Throws: where one of these channels cannot be as it is.
    func check(_ channels: [ChannelSettings]) throws(ConfigurationError) {
        for channel in channels {
            if let text = self.refusal(of: channel) { throw .refused(text, isUsage: false) }
        }
    }
}

extension Exposure {
    /// Says which channels let in the pages of all sites where they would not.
    static func tellOpenPages(_ channels: [ChannelSettings], _ logger: Logger) {
        let names = channels.filter { $0.allowedOrigins.contains(ChannelBounds.anyOrigin) }.map { "\($0.id)" }
        if names.isEmpty { return }
        logger.notice(
            "web pages of all sites may use channels",
            metadata: ["channels": "\(names.joined(separator: " "))"]
        )
    }

    /// The addresses, other than loopback, where tokens come in as anybody on the way can read them. A proxy may end TLS
    /// before the broker, so the broker cannot know where there is one.
    static func plainAddresses(_ listen: ListenSettings, _ channels: [ChannelSettings]) -> [ListenAddress] {
        guard listen.tls == nil, listen.trustedProxies == nil, channels.contains(where: { $0.authentication != .none })
        else { return [] }
        return [listen.tcp, listen.http].compactMap(\.self).filter { !$0.isLoopback }
    }

    static func warn(of listen: ListenSettings, _ channels: [ChannelSettings], _ logger: Logger) {
        let addresses = self.plainAddresses(listen, channels)
        if addresses.isEmpty { return }
        logger.warning(
            "TOKENS CAN BE STOLEN: other machines reach this broker without TLS, and channels take tokens",
            metadata: [
                "addresses": "\(addresses.map { "\($0)" }.joined(separator: " "))", "code": "tokens_without_tls",
                "advice": "set --tls-certificate and --tls-key, or name the proxy that ends TLS with --trusted-proxies",
            ]
        )
    }
}

extension StartError {
    /// The ports that only some processes may listen on.
    private static let privilegedPorts = 1...1_023

    /// Why nothing can listen at a place.
    ///
    /// - Parameters:
    ///   - port: `nil` where it is a Unix socket.
    ///   - other: what can be named in its place.
    init(listeningOn place: String, port: Int?, _ error: any Error, other: String) {
        let code = (error as? IOError)?.errnoCode
        let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
        let isPrivileged = code == EACCES && port.map(Self.privilegedPorts.contains) ?? false
        let advice =
            isPrivileged
            ? "ports below 1024 need CAP_NET_BIND_SERVICE (AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit of systemd); give "
                + "the broker that, or name "
            : "name "
        self.init("cannot listen on \(place): \(reason); \(advice)\(other)")
    }
}
