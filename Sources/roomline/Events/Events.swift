import ArgumentParser
import Foundation
import NIOCore
import RoomAdmin
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

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let signals = ProcessSignals(SIGINT, SIGTERM)
        let number = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask {
                try await EventPrinter(client: client, output: output, channel: self.channel).run(
                    isFollowing: self.follow
                )
                return nil
            }
            group.addTask { await signals.stream.first { _ in true } }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        if number == SIGTERM { ProcessSignals.end(by: SIGTERM) }
    }
}

/// Reads the events of one broker, and writes them.
struct EventPrinter: Sendable {
    let client: AdminSession
    let output: AdminOutput
    /// `nil`: all.
    let channel: String?

    func run(isFollowing: Bool) async throws {
        let events = self.client.client.events(of: self.channel, isResuming: isFollowing) { change in
            switch change {
            case .lost: CommandFailure.say("connection lost, trying again…")
            case .restored: CommandFailure.say("back")
            }
        }
        do {
            for try await event in events { try self.write(event) }
        } catch let error as AdminError {
            throw await self.client.failure(error, of: AdminRequest(.get, ["events"]))
        }
        throw CommandFailure(code: .unavailable, text: "the broker has ended the stream; --follow comes back")
    }

    private func write(_ event: AdminEvent) throws {
        if self.output.isJSON {
            let kind = JSONTree.Field("event", .string(event.kind.rawValue))
            try self.output.write(JSONTree.object([kind] + event.fields).bytes)
        } else {
            try self.output.write(EventLine.line(event.kind.rawValue, event.fields, in: self.output.timeZone))
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
