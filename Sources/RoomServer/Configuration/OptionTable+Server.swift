/// What the broker serves and how it runs: data, channels, plain text, process.
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
                Make sure that this channel exists with these settings: \(ChannelFlag.help). What is named wins over what \
                is stored, the rest stays. Repeat it for more channels; in the environment put ; between them.
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
