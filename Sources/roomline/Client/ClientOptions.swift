import ArgumentParser
import Foundation
import RoomClient

/// What all commands that talk to a broker take.
struct ClientOptions: ParsableArguments {
    static let defaultServer = "tcp://127.0.0.1:10000"
    private static let defaultChannel = "default"
    private static let serverVariable = "ROOMLINE_SERVER"
    private static let tokenVariable = "ROOMLINE_TOKEN"
    /// What a shell may have set for the clients, and the broker does not mind.
    static let variables = [Self.serverVariable, Self.tokenVariable, SecretOptions.variable]

    @Option(
        help: ArgumentHelp(
            "Where the broker is: tcp://HOST:PORT, or tls://HOST:PORT for an encrypted connection; ws://HOST:PORT or wss://HOST:PORT for a WebSocket, by the port of the HTTP side. The environment variable is ROOMLINE_SERVER. (default: tcp://127.0.0.1:10000)",
            valueName: "URL"
        )
    )
    var server: String?

    @Option(help: ArgumentHelp("The channel of the rooms.", valueName: "ID"))
    var channel = Self.defaultChannel

    @Option(
        help: ArgumentHelp(
            "A file with an access token, for channels that require one. The environment variable ROOMLINE_TOKEN can hold the token instead.",
            valueName: "FILE"
        )
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust for tls:// and wss://, instead of the system's.",
            valueName: "FILE"
        )
    )
    var trust: String?

    /// The words that say the same to another command. What comes from the environment is not among them.
    var arguments: [String] {
        let given = [("--server", self.server), ("--token-file", self.tokenFile), ("--trust", self.trust)]
        let channel = self.channel == Self.defaultChannel ? [] : ["--channel", self.channel]
        return channel + given.flatMap { option, value in value.map { [option, $0] } ?? [] }
    }

    /// The server's URL; a bare host will do.
    var url: String {
        let text = self.server ?? Self.environment[Self.serverVariable] ?? Self.defaultServer
        return text.contains("://") ? text : "tcp://\(text)"
    }

    /// A client that is not connected yet.
    ///
    /// - Parameters:
    ///   - member: what others see of it; `nil`: nothing.
    ///   - publishTimeout: how long a message is tried.
    func makeClient(as member: MemberProfile?, publishTimeout: Duration? = nil) throws(CommandFailure) -> RoomClient {
        var configuration = RoomClient.Configuration()
        configuration.trustedCertificates = self.trust
        if let publishTimeout { configuration.publishTimeout = publishTimeout }
        let (url, channel, token) = (try self.checkedURL(), self.channel, try self.token())
        do throws(RoomClientError) {
            switch (member, token) {
            case (nil, nil): return try RoomClient(url, channel: channel, configuration: configuration)
            case (nil, let token?):
                return try RoomClient(url, channel: channel, token: token, configuration: configuration)
            case (let member?, nil):
                return try RoomClient(url, channel: channel, member: member, configuration: configuration)
            case (let member?, let token?):
                return try RoomClient(
                    url,
                    channel: channel,
                    member: member,
                    token: token,
                    configuration: configuration
                )
            }
        } catch {
            throw CommandFailure(code: .usage, text: error.message)
        }
    }

    /// The server's URL, if there is one.
    func checkedURL() throws(CommandFailure) -> String {
        guard self.url == "tcp://" else { return self.url }
        let what = self.server == nil ? Self.serverVariable : "--server"
        throw CommandFailure(
            code: .usage,
            text: "\(what) is empty; it has to be like \(Self.defaultServer), or not there at all"
        )
    }

    /// Connects, or says why not.
    func connect(_ client: RoomClient) async throws(CommandFailure) {
        do throws(RoomClientError) {
            try await client.connect()
        } catch {
            throw CommandFailure(connecting: error, to: self.url)
        }
    }

    /// The token for the handshake; `nil`: none was given.
    func token() throws(CommandFailure) -> String? {
        guard let path = self.tokenFile else {
            return Self.environment[Self.tokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(code: .usage, text: "the token file \(path) cannot be read")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw CommandFailure(code: .usage, text: "the token file \(path) is empty") }
        return token
    }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Who the user is to others, where no name was given.
    static var userName: String {
        let name = self.environment["USER"] ?? self.environment["LOGNAME"] ?? ""
        return name.isEmpty ? "guest" : name
    }
}

extension MemberColor {
    /// Reads what somebody has given as a colour.
    static func argument(_ text: String) throws -> MemberColor {
        do throws(RoomClientError) {
            return try MemberColor(TerminalText.line(text))
        } catch {
            throw ValidationError(error.message)
        }
    }
}
