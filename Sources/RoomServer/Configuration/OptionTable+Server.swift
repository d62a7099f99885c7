/// What the broker is and where: addresses, data, channels, security, process.
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

    static let storageAndChannels = Section(
        title: "Data and channels",
        options: [
            dataDirectory,
            ConfigurationOption(
                repeatable: "channel",
                \.channels,
                .channel,
                """
                Make sure that this channel exists with these settings: auth=none|optional|required (who has to show a \
                token), token-expiry=at_use|live, presence=prefix|all (which rooms show their members), history=N|off (messages kept a room), \
                history-age=DURATION (of the oldest), durability=process|power (what an acknowledged message \
                survives: kill -9, or also a power cut), grace=DURATION (in which a lost session can be resumed). What \
                is named wins over what is stored, the rest stays. Repeat it for more channels; in the environment \
                put ; between them.
                """
            ),
            ConfigurationOption(
                "token-skew",
                \.tokenSkew,
                .duration(.zero...Duration.seconds(3_600)),
                "How far the clocks of those who make tokens may be off."
            ),
        ]
    )

    private static var dataDirectory: ConfigurationOption {
        var option = ConfigurationOption(
            "data",
            \.storage,
            .storage,
            "The directory of history and channels, made if missing and private. :memory: keeps nothing."
        )
        option.defaultNote = "$XDG_DATA_HOME/roomline or ~/.local/share/roomline"
        return option
    }

    static let plainText = Section(
        title: "Plain text",
        options: [
            ConfigurationOption(
                "text-room",
                \.text.room,
                .word("off", or: .roomName),
                "The room that telnet, nc and tutorial clients join. off: they are sent away."
            ),
            ConfigurationOption("text-channel", \.text.channel, .channelID, "The channel of that room."),
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

    static let process = Section(
        title: "Process and log",
        options: [
            ConfigurationOption(
                "log-level",
                \.process.logLevel,
                .choice(),
                "What is logged to stderr: this level and those above it."
            ),
            ConfigurationOption(
                "log-format",
                \.process.logFormat,
                .choice(),
                "Log lines for people, or one JSON object a line."
            ),
            ConfigurationOption(
                "loops",
                \.process.loops,
                .word("auto", or: .count(1...1_024)),
                "Event loops, which are threads. auto: one fewer than the cores, at least 1."
            ),
            ConfigurationOption(
                "drain-timeout",
                \.timeouts.drain,
                .duration(.zero...ConfigurationBounds.longest),
                "After SIGTERM, how long clients have to be told and served before the broker ends."
            ),
        ]
    )
}
