/// A command that a moderator enters in the chat.
enum ModerationCommand: Equatable, Sendable {
    /// Names stand in front of what else there is to say; where they end only those know who know the names.
    case person(PersonAct, String)
    case lock(reason: String?)
    case unlock
    case slow(seconds: Int)
    /// Counted back from the newest message, which is 1.
    case redact(back: Int, reason: String?)
    case clear
    case notice(String)
    /// What is set in the room.
    case bans

    /// An act of a moderator on a person.
    enum PersonAct: String, Sendable {
        case kick, ban, unban, mute, unmute
    }

    /// The meaning of such a line: a command, or why it is none.
    enum Reading: Equatable, Sendable {
        case command(ModerationCommand)
        case parseError(String)
    }

    /// - Parameter command: in lower case; `nil` comes of one that is not a moderator's.
    static func read(_ command: String, _ argument: String?) -> Reading? {
        if let act = PersonAct(rawValue: String(command.dropFirst())) {
            return argument.map { .command(.person(act, $0)) }
                ?? .parseError("\(command) needs the name or the id of a member")
        }
        return switch command {
        case "/lock": Self.lock(argument)
        case "/unlock": argument == nil ? .command(.unlock) : .parseError("/unlock takes no argument")
        case "/slow": Self.slow(argument)
        case "/redact": Self.redact(argument)
        case "/clear": argument == nil ? .command(.clear) : .parseError("/clear takes no argument; it asks first")
        case "/bans": argument == nil ? .command(.bans) : .parseError("/bans takes no argument")
        case "/notice":
            argument.map { .command(.notice($0)) } ?? .parseError("/notice needs a text")
        default: nil
        }
    }

    /// Whether the text begins with a time, such as `10m`: where there is none to give, it would be taken for a reason.
    static func beginsWithTime(_ text: String?) -> Bool {
        let word = text?.split(separator: " ").first.map(String.init)
        return word.flatMap { DurationArgument(argument: $0) } != nil
    }

    /// Whether the text begins a command that nobody who has left can be meant by.
    static func isForMembersOnly(_ text: String) -> Bool { text.lowercased().hasPrefix("/kick ") }

    private static func lock(_ argument: String?) -> Reading {
        Self.beginsWithTime(argument)
            ? .parseError("/lock takes no time: a lock lasts until /unlock") : .command(.lock(reason: argument))
    }

    private static func slow(_ argument: String?) -> Reading {
        guard let pause = argument.flatMap({ PauseArgument(argument: $0) }) else {
            return .parseError("/slow needs a time with its unit, such as 10s or 5m; /slow off ends it")
        }
        return .command(.slow(seconds: pause.seconds ?? 0))
    }

    private static func redact(_ argument: String?) -> Reading {
        let words = (argument ?? "").split(separator: " ", maxSplits: 1)
        guard let back = words.first.flatMap({ Int($0) }), back > 0 else {
            return .parseError(
                "/redact needs the number of a message, counted back from the newest, which is 1, and asks first: /redact 2 spam"
            )
        }
        return .command(.redact(back: back, reason: words.dropFirst().first.map(String.init)))
    }

    /// The commands in one phrase: `/kick, /ban and /clear`
    static var names: String {
        var names: [Substring] = []
        for word in self.list.compactMap({ $0.command.split(separator: " ").first }) where !names.contains(word) {
            names.append(word)
        }
        return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }

    /// The commands that `/help` shows; they can also be completed.
    static let list: [(command: String, meaning: String)] = [
        ("/kick NAME [WHY]", "kick a member out of the room"),
        ("/ban NAME [1h] [WHY]", "ban a member from the room; the time may be the last word"),
        ("/ban NAME --redact [WHY]", "also remove all their messages; asks first"),
        ("/unban NAME", "lift a ban"),
        ("/mute NAME [1h] [WHY]", "let a member read only; the time may be the last word"),
        ("/unmute NAME", "lift a mute"),
        ("/lock [WHY]", "let only moderators write"),
        ("/unlock", "let everybody write again"),
        ("/slow 10s", "time between two messages of a member; off ends it"),
        ("/bans", "list the bans, mutes and rules of the room"),
        ("/redact N [WHY]", "remove the Nth newest message; asks first"),
        ("/clear", "delete all messages of the room; asks first"),
        ("/notice TEXT", "show everybody a text that is not stored"),
    ]
}
