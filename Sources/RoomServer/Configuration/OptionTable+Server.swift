/// Services of the broker and its way of running: data, channels, plain text, process.
extension OptionTable {
    static let storageAndChannels = Section(
        title: "Data and channels",
        options: [
            dataDirectory,
            ConfigurationOption(
                repeatable: "channel",
                \.channels,
                .channel,
                """
                Make sure that this channel exists with these settings: \(ChannelFlag.help). The settings that you \
                name override the stored ones; the others keep their stored values. Repeat the option for more \
                channels; in the environment, separate them with ;.
                """
            ),
            ConfigurationOption(
                toggle: "accept-lost-channels",
                \.acceptsLostChannels,
                """
                Start although the channels, their secrets, the tokens and the bans are lost: control.sqlite and its \
                backup are missing beside a history. Without this option, the broker does not start then. Give it \
                for one start only.
                """
            ),
            ConfigurationOption(
                "token-skew",
                \.tokenSkew,
                .duration(.zero...Duration.seconds(3_600)),
                "How much the clock of the server that makes tokens may differ from the broker's clock."
            ),
        ]
    )

    private static var dataDirectory: ConfigurationOption {
        var option = ConfigurationOption(
            "data",
            \.storage,
            .storage,
            """
            The directory for the history and the channels. The broker creates it if it is missing, and keeps it \
            private. :memory: stores nothing on disk.
            """
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
                "The room that telnet, nc and tutorial clients join. off: the broker disconnects them."
            ),
            ConfigurationOption("text-channel", \.text.channel, .channelID, "The channel of that room."),
            ConfigurationOption(
                "text-listen-after",
                \.text.listeningAfter,
                .word("off", or: .duration(.milliseconds(1)...ConfigurationBounds.longest)),
                """
                How long a new connection sends nothing before it is shown what is said in that room. off: it is shown \
                nothing before its first line.
                """
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
                "The lowest level that is logged to stderr."
            ),
            ConfigurationOption(
                "log-format",
                \.process.logFormat,
                .choice(),
                "text: lines for people. json: one JSON object on each line."
            ),
            ConfigurationOption(
                "loops",
                \.process.loops,
                .word("auto", or: .count(1...1_024)),
                "The number of event loops. Each is a thread. auto: one fewer than the cores, at least 1."
            ),
            ConfigurationOption(
                "drain-timeout",
                \.timeouts.drain,
                .duration(.zero...ConfigurationBounds.longest),
                "How long the broker may take, after SIGTERM, to serve and disconnect its clients before it ends."
            ),
        ]
    )
}
