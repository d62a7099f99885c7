/// Where the broker listens, and behind which proxies.
extension OptionTable {
    static let listening = Section(
        title: "Listening",
        options: [
            ConfigurationOption(
                "tcp",
                \.listen.tcp,
                .address,
                """
                The address for clients that send JSON lines or plain text. With port 0 the system picks a port, and \
                the log shows it.
                """
            ),
            ConfigurationOption(
                "http",
                \.listen.http,
                .word("off", or: .address),
                """
                The address for HTTP and WebSocket clients: /v3/websocket, /v3/events, Scaledrone's REST, /health, \
                /metrics, the pages, and the admin API with a token. \
                With port 0 the system picks a port, and the log shows it.
                """
            ),
            httpHost,
            adminSocket,
            ConfigurationOption(
                "metrics",
                \.listen.metrics,
                .choice(),
                """
                Who may read /metrics. local: clients on this machine without a token, and others with an admin token \
                that has the scope read. token: only clients with such a token. off: nobody.
                """
            ),
            ConfigurationOption(
                "pages",
                \.listen.pages,
                .choice(),
                """
                Whether the address of --http serves the chat page at / and the console at /console. auto: only if it is a \
                loopback address, without --trusted-proxies and --http-host.
                """
            ),
            ConfigurationOption(
                toggle: "allow-open-channels",
                \.listen.allowsOpenChannels,
                "Listen on an address that other machines can reach, even if channels are open to everybody."
            ),
            ConfigurationOption(
                "tcp-backlog",
                \.listen.tcpBacklog,
                .count(1...65_535),
                "How many connections may wait to be accepted. The system may allow fewer: net.core.somaxconn."
            ),
            ConfigurationOption(
                "tcp-user-timeout",
                \.listen.tcpUserTimeout,
                .duration(.seconds(1)...ConfigurationBounds.longest),
                "Close a connection if the client's system has not acknowledged what was sent to it for this long."
            ),
        ]
    )

    private static var httpHost: ConfigurationOption {
        var option = ConfigurationOption(
            repeatable: "http-host",
            \.listen.httpHosts,
            .hostName,
            """
            A name that requests may have in their Host header, besides localhost, while HTTP listens on loopback. You \
            need it behind a proxy on this machine. The broker refuses other names, because a web page could point a \
            name of its own at this machine. Repeat the option for more names.
            """
        )
        option.defaultNote = "none"
        return option
    }

    private static var adminSocket: ConfigurationOption {
        var option = ConfigurationOption(
            "admin-socket",
            \.listen.adminSocket,
            .adminSocket,
            """
            The Unix socket of the admin API. Only the broker's own user and root can connect to it, and they need no \
            token.
            """
        )
        option.defaultNote = "admin.sock in the data directory; none with :memory:"
        return option
    }

    static let proxies = Section(
        title: "Proxies",
        options: [
            ConfigurationOption(
                "proxy-protocol",
                \.listen.proxyProtocol,
                .choice(),
                """
                Whether each connection to --tcp begins with a PROXY header (version 1 or 2), as HAProxy, nginx and \
                load balancers send it. required also needs --trusted-proxies.
                """
            ),
            ConfigurationOption(
                "trusted-proxies",
                \.listen.trustedProxies,
                .word("off", or: .addressRanges),
                """
                The addresses of your proxies. The broker takes a client's address from their PROXY header, and over \
                HTTP from their X-Forwarded-For. Limits for each IP address use that address.
                """
            ),
        ]
    )

    static let tls = Section(
        title: "TLS",
        options: [
            ConfigurationOption(
                "tls-certificate",
                \.listen.tlsCertificate,
                .word("off", or: .path),
                "The file with the certificate chain, in PEM format. Together with --tls-key it turns TLS on."
            ),
            ConfigurationOption(
                "tls-key",
                \.listen.tlsKey,
                .word("off", or: .path),
                "The file with the private key of the certificate, in PEM format."
            ),
        ]
    )
}
