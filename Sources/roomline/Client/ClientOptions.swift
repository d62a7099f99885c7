import ArgumentParser
import Foundation
import RoomClient
import RoomServer

/// Options of all commands that talk to a broker.
struct ClientOptions: ParsableArguments {
    static let defaultServer = "tcp://127.0.0.1:10000"
    private static let defaultChannel = "default"
    private static let serverVariable = "ROOMLINE_SERVER"
    private static let tokenVariable = "ROOMLINE_TOKEN"
    /// The variables that a shell may have set for the clients, and that the broker does not mind.
    static let variables = [Self.serverVariable, Self.tokenVariable, SecretOptions.variable, ActiveContext.variable]

    @Option(help: ContextHelp.option, completion: .custom(ContextUse.names))
    var context: String?

    @Option(
        help: ArgumentHelp(
            "Where the broker is: tcp://HOST:PORT, or tls://HOST:PORT for an encrypted connection; ws://HOST:PORT or wss://HOST:PORT for a WebSocket, by the port of the HTTP side. Of a cluster, the URLs of several nodes, with commas between: when one does not answer, the command goes on through the next. The environment variable is ROOMLINE_SERVER. (default: tcp://127.0.0.1:10000)",
            valueName: "URL[,URL…]"
        )
    )
    var server: String?

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("The channel of the rooms. (default: that of the context, or \"default\")", valueName: "ID"),
        completion: BrokerNames.channels
    )
    var givenChannel: String?

    @Option(
        help: ArgumentHelp(
            "A file with an access token, for channels that require one. The environment variable ROOMLINE_TOKEN can hold the token instead.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust for tls:// and wss://, instead of the system's.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trust: String?

    /// The words that say the same to another command. Values from the environment are not among them.
    var arguments: [String] {
        let given = [
            ("--context", self.context), ("--server", self.server), ("--token-file", self.tokenFile),
            ("--trust", self.trust),
        ]
        let channel = self.channel == Self.defaultChannel ? [] : ["--channel", self.channel]
        return channel + given.flatMap { option, value in value.map { [option, $0] } ?? [] }
    }

    var channel: String { self.givenChannel ?? Self.defaultChannel }

    /// These options, with what the context adds that is in use.
    func resolved(
        environment: [String: String] = Self.environment
    ) throws(CommandFailure) -> ClientOptions {
        guard let active = try ActiveContext.find(option: self.context, environment: environment) else { return self }
        let context = active.context
        let isVariable = !active.isOption && environment[Self.serverVariable] != nil
        guard self.server == nil, !isVariable else { return self }
        guard context.server != nil || !context.hasAdmin else {
            throw CommandFailure(
                code: .usage,
                text: "the context \(active.name) names no server for this command: give --server URL, here or to "
                    + "\"roomline context add\""
            )
        }
        let hasToken = !active.isOption && environment[Self.tokenVariable] != nil
        var options = self
        options.server = context.server
        options.givenChannel = self.givenChannel ?? context.channel
        options.tokenFile = self.tokenFile ?? (hasToken ? nil : context.tokenFile)
        options.trust = self.trust ?? context.trust
        return options
    }

    /// The URLs of the broker, or of its nodes.
    func urls() throws(CommandFailure) -> ServerURLs {
        let text = self.server ?? Self.environment[Self.serverVariable] ?? Self.defaultServer
        guard let urls = ServerURLs(text) else {
            let what = self.server == nil ? Self.serverVariable : "--server"
            let problem = text.isEmpty ? "\(what) is empty" : "\(what) is \(text), which has an empty URL"
            throw CommandFailure(
                code: .usage,
                text: "\(problem); it has to be like \(Self.defaultServer), or not there at all"
            )
        }
        return urls
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
        let (urls, channel, token) = (try self.urls(), self.channel, try self.token())
        configuration.otherURLs = urls.others
        do throws(RoomClientError) {
            return try RoomClient(
                urls.first,
                channel: channel,
                member: member,
                token: token.map { .fixed($0) } ?? .none,
                configuration: configuration
            )
        } catch {
            throw CommandFailure(code: .usage, text: error.message)
        }
    }

    /// Connects to the first of the servers that answers, or says why none does.
    func connect(_ client: RoomClient) async throws(CommandFailure) {
        let urls = try self.urls()
        for others in stride(from: urls.others.count, through: 0, by: -1) {
            do throws(RoomClientError) {
                // Each attempt goes to the next server.
                try await client.connect()
                return
            } catch {
                let failure = CommandFailure(connecting: error, to: urls.description)
                guard failure.code == .unavailable, others > 0 else { throw failure }
            }
        }
    }

    /// The token for the handshake; `nil`: none was given.
    func token() throws(CommandFailure) -> String? {
        try SecretText.read(file: self.tokenFile, variable: Self.tokenVariable, what: "token")
    }

    static var environment: [String: String] { ProcessSetup.environment }

    /// The name of the user to others, where no name was given.
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
