import ArgumentParser
import Foundation
import NIOCore
import RoomJSON

/// `roomline events`
struct Events: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show what happens in the broker while it happens.",
        discussion: AdminHelp.text(
            """
            A line for each client that connects or disconnects, for each change of the number of members of a room, for each \
            change of a channel and for each act of a moderator, until Ctrl-C. Messages are not among them: "tail" shows those. If \
            events are lost, because the broker was restarted or remembers no more of them, there is a line with gap.
            """,
            ("events --follow", "Until Ctrl-C, also across restarts of the broker."),
            ("events --channel shop", "Those of one channel."),
            ("events --follow --json | jq 'select(.event == \"moderated\")'", "One JSON object a line, for a script.")
        )
    )

    @Flag(name: .shortAndLong, help: "Come back when the connection to the broker is lost, and continue where it was.")
    var follow = false

    @Option(help: ArgumentHelp("Only events of this channel.", valueName: "ID"), completion: BrokerNames.channels)
    var channel: String?

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let signals = ProcessSignals(SIGINT, SIGTERM)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await EventReader(client: client, output: output, channel: self.channel).run(
                    isFollowing: self.follow
                )
            }
            group.addTask { for await _ in signals.stream { return } }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Reads the events of one broker, and writes them.
struct EventReader: Sendable {
    private static let pause = Duration.seconds(2)

    let client: AdminClient
    let output: AdminOutput
    /// `nil`: all.
    let channel: String?

    func run(isFollowing: Bool) async throws {
        var last: String?
        var hasBegun = false
        while true {
            do throws(CommandFailure) {
                try await self.read(&last) { hasBegun = true }
                guard isFollowing else {
                    throw CommandFailure(
                        code: .unavailable,
                        text: "the broker has ended the stream; --follow comes back"
                    )
                }
            } catch {
                guard isFollowing, hasBegun, error.code == .unavailable else { throw error }
            }
            CommandFailure.say("connection lost, trying again…")
            try await self.wait(&hasBegun)
        }
    }

    /// Until the broker answers again: what cannot be reached is tried again, what refuses is not.
    private func wait(_ hasBegun: inout Bool) async throws {
        while true {
            try await Task.sleep(for: Self.pause)
            do throws(CommandFailure) {
                _ = try await self.client.send(AdminRequest(.get, ["channels"], query: [("limit", "1")]))
                return CommandFailure.say("back")
            } catch {
                guard error.code == .unavailable else { throw error }
            }
        }
    }

    private func read(_ last: inout String?, _ began: () -> Void) async throws(CommandFailure) {
        var request = AdminRequest(.get, ["events"])
        request.lastEventID = last
        var lines = EventLines()
        var newest = last
        defer { last = newest }
        try await self.client.follow(request) { piece throws(CommandFailure) in
            began()
            for event in lines.read(piece) {
                newest = event.id ?? newest
                try self.write(event)
            }
        }
    }

    private func write(_ event: EventLines.Event) throws(CommandFailure) {
        let data = ByteBuffer(string: event.data)
        guard let tree = try? JSONTree.read(data), case .object(let fields) = tree else { return }
        if let channel, let of = tree["channel"], of != .string(channel) { return }
        do {
            if self.output.isJSON {
                try self.output.write(JSONTree.object([.init("event", .string(event.type))] + fields).bytes)
            } else {
                try self.output.write(EventLine.line(event.type, fields, in: self.output.timeZone))
            }
        } catch {
            throw CommandFailure(code: .refused, text: "standard output cannot be written to")
        }
    }
}

/// An event as people read it: `2026-11-21 15:12:07 +01:00  room_changed  channel=shop room=lobby members=2`
enum EventLine {
    private static let width = 15

    static func line(_ type: String, _ fields: [JSONTree.Field], in timeZone: TimeZone) -> StyledLine {
        var time = ""
        var words: [String] = []
        for field in fields {
            switch (field.name, field.value) {
            case ("time", .string(let text)): time = ShownTime.moment(text, in: timeZone)
            case (_, .null): continue
            case (let name, .string(let text)): words.append("\(name)=\(TerminalText.line(text))")
            case (let name, let value): words.append("\(name)=\(TerminalText.line(value.text))")
            }
        }
        let blanks = String(repeating: " ", count: max(2, Self.width - type.count))
        return StyledLine(spans: [
            StyledLine.Span(text: time.isEmpty ? "" : time + "  ", style: .dim),
            StyledLine.Span(text: TerminalText.line(type) + blanks, style: .normal),
            StyledLine.Span(text: words.joined(separator: " "), style: .normal),
        ])
    }
}
