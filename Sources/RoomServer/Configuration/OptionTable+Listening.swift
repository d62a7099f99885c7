/// Where the broker listens, and behind which proxies.
extension OptionTable {
    static let listening = Section(
        title: "Listening",
        options: [
            ConfigurationOption(
                "tcp",
                \.listen.tcp,
                .address,
                "Where clients connect with JSON lines or plain text. Port 0: the system picks one, the log names it."
            ),
            ConfigurationOption(
                "http",
                \.listen.http,
                .word("off", or: .address),
                """
                Where HTTP clients connect: Scaledrone's REST, /health, /metrics, and the admin API with a token. Port 0: \
                the system picks one, the log names it.
                """
            ),
            httpHost,
            adminSocket,
            ConfigurationOption(
                "metrics",
                \.listen.metrics,
                .choice(),
                """
                Who may read /metrics. local: this machine as it is, others with an admin token that has the scope \
                read. token: only with such a token. off: nobody.
                """
            ),
            ConfigurationOption(
                toggle: "allow-open-channels",
                \.listen.allowsOpenChannels,
                "Listen on an address that other machines can reach, though channels are open to everybody."
            ),
            ConfigurationOption(
                "tcp-backlog",
                \.listen.tcpBacklog,
                .count(1...65_535),
                "Connections that may wait to be accepted (the system may allow fewer: net.core.somaxconn)."
            ),
            ConfigurationOption(
                "tcp-user-timeout",
                \.listen.tcpUserTimeout,
                .duration(.seconds(1)...ConfigurationBounds.longest),
                "Give a connection up when what was sent to it is not acknowledged for this long."
            ),
        ]
    )

    private static var httpHost: ConfigurationOption {
        var option = ConfigurationOption(
            repeatable: "http-host",
            \.listen.httpHosts,
            .hostName,
            """
            While HTTP listens on loopback, a name that requests may have in their Host beside localhost, as from a proxy \
            on this machine. Other names are refused: a web page could lead its own here. Repeat it for more.
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
            "The Unix socket of the admin API. It is for the broker's own user and root, who need no token there."
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
                Whether each connection to --tcp begins with a PROXY header (version 1 or 2), as HAProxy, nginx and load \
                balancers send it; it needs --trusted-proxies.
                """
            ),
            ConfigurationOption(
                "trusted-proxies",
                \.listen.trustedProxies,
                .word("off", or: .addressRanges),
                """
                The proxies whose PROXY header, and whose X-Forwarded-For over HTTP, say where a client comes from. Limits \
                for each IP address go by that.
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
                "The certificate chain, PEM. With --tls-key it turns TLS on."
            ),
            ConfigurationOption(
                "tls-key",
                \.listen.tlsKey,
                .word("off", or: .path),
                "The private key of the certificate, PEM."
            ),
        ]
    )
}
