import ArgumentParser
import RoomModel

/// The channel that a token is for, and its secret.
struct SecretOptions: ParsableArguments {
    static let variable = "ROOMLINE_SECRET"
    private static let length = 43

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var channel = "default"

    @Option(
        help: ArgumentHelp(
            "A file with the channel's secret, as \"channel create\" printed it; - for standard input. The environment variable ROOMLINE_SECRET can hold the secret instead.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var secretFile: String?

    func channelID() throws(CommandFailure) -> ChannelID {
        guard let id = ChannelID(self.channel) else {
            throw CommandFailure(
                code: .usage,
                text: "--channel is \(self.channel): an id has 1 to 64 letters, digits, - and _"
            )
        }
        return id
    }

    func secret() throws(CommandFailure) -> ChannelSecret {
        guard let text = try SecretText.read(file: self.secretFile, variable: Self.variable, what: "secret") else {
            throw CommandFailure(
                code: .usage,
                text: "give the channel's secret with --secret-file FILE, or in ROOMLINE_SECRET; \"roomline channel "
                    + "rotate-secret\" makes another one"
            )
        }
        let isSecret = text.utf8.allSatisfy { byte in
            let scalar = Unicode.Scalar(byte)
            return scalar.isASCII
                && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || scalar == "-" || scalar == "_")
        }
        guard isSecret, text.utf8.count == Self.length else {
            throw CommandFailure(
                code: .usage,
                text:
                    "that is not a secret: a secret is \(Self.length) letters, digits, - and _, and nothing else"
            )
        }
        return ChannelSecret(text: text)
    }
}
