import ArgumentParser
import Dispatch
import NIOConcurrencyHelpers
import RoomAdmin
import RoomJSON

/// The names that a shell offers: it runs this program for each, and the program asks the broker that the command line means.
enum BrokerNames {
    /// How long somebody waits who has pressed the Tab key.
    private static let patience = DispatchTimeInterval.seconds(1)
    private static let most = "200"
    /// In how many rooms members are looked for where the command line names none.
    private static let mostRooms = 20

    static let channels = CompletionKind.custom { words, _, _ in
        Self.ask(words) { client, _ in await Self.names("channels", "id", ["channels"], client) }
    }

    static let rooms = CompletionKind.custom { words, _, prefix in
        Self.ask(words) { client, line in await Self.rooms(of: line.channel, beginning: prefix, client) }
    }

    static let members = CompletionKind.custom { words, _, _ in Self.members(words, "id") }
    static let users = CompletionKind.custom { words, _, _ in Self.members(words, "user") }

    private static func members(_ words: [String], _ field: StaticString) -> [String] {
        self.ask(words) { client, line in
            let rooms: [String] =
                if let room = line.room { [room] } else {
                    Array(await self.rooms(of: line.channel, beginning: "", client).prefix(self.mostRooms))
                }
            var names: [String] = []
            for room in rooms {
                names += await self.names(
                    "members",
                    field,
                    ["channels", line.channel, "rooms", room, "members"],
                    client
                )
            }
            return Array(Set(names)).sorted()
        }
    }

    private static func rooms(of channel: String, beginning prefix: String, _ client: AdminSession) async -> [String] {
        let query = prefix.isEmpty ? [] : [(name: "prefix", value: prefix)]
        return await self.names("rooms", "name", ["channels", channel, "rooms"], query: query, client)
    }

    private static func names(
        _ field: StaticString,
        _ name: StaticString,
        _ path: [String],
        query: [(name: String, value: String)] = [],
        _ client: AdminSession
    ) async -> [String] {
        let request = AdminRequest(.get, path, query: query + [("limit", self.most)])
        // As below.
        guard let response = try? await client.exchange(request), response.status == 200 else { return [] }
        return JSONFields.elements(of: field, in: response.body).compactMap { JSONFields.string(of: name, in: $0) }
    }

    /// Blocks the thread: the parser wants the names at once, and asynchronous completions would make each parse asynchronous.
    ///
    /// - Returns: nothing where the broker does not answer in time.
    private static func ask(
        _ words: [String],
        _ question: @escaping @Sendable (AdminSession, CompletedLine) async -> [String]
    ) -> [String] {
        let names = NIOLockedValueBox<[String]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        Task {
            // Whatever is wrong, a shell that completes a word shows no error.
            let answer = (try? await self.answer(words, question)) ?? []
            names.withLockedValue { $0 = answer }
            isAnswered.signal()
        }
        // In both cases there is what there is.
        _ = isAnswered.wait(timeout: .now() + self.patience)
        return names.withLockedValue { $0 }
    }

    private static func answer(
        _ words: [String],
        _ question: (AdminSession, CompletedLine) async -> [String]
    ) async throws -> [String] {
        var line = CompletedLine(words)
        let (options, active) = try AdminOptions.parse(line.adminArguments).resolved()
        line.contextChannel = active?.context.channel
        let address = try options.address()
        let token = try options.token(for: address)
        return try await AdminSession.with(address, token: token, trust: options.trust) { [line] in
            await question($0, line)
        }
    }
}
