/// The meaning of a line that was entered in the chat.
enum ChatCommand: Equatable, Sendable {
    case nothing
    case say(String)
    /// `/me`: a text about the user.
    case act(String)
    /// A private message. The broker has none.
    case whisper
    case who
    /// Only on the full screen, like the next two.
    case join(String)
    /// `nil`: the room that is shown.
    case leave(String?)
    case search(String)
    /// `nil`: which one is it?
    case color(String?)
    case name(String?)
    case history(Int)
    case moderate(ModerationCommand)
    /// `/yes`, and `/2` where the chat has asked which one.
    case answer(Int?)
    case help
    case quit
    /// Not understood, and why.
    case parseError(String)

    /// How many messages `/history` shows.
    static let usualHistory = 20
    static let mostHistory = 1_000

    init(_ line: String) {
        let trimmed = line.trimming(" ")
        let word = trimmed.prefix { $0 != " " }
        guard !word.isEmpty else {
            self = .nothing
            return
        }
        if word.hasPrefix("//") {
            self = .say(String(line.drop { $0 == " " }.dropFirst()))
        } else if word.hasPrefix("/") {
            self.init(command: word.lowercased(), rest: String(trimmed.dropFirst(word.count).trimming(" ")))
        } else {
            self = .say(line)
        }
    }

    private init(command: String, rest: String) {
        let argument = rest.isEmpty ? nil : rest
        switch (command, argument) {
        case ("/who", nil): self = .who
        case ("/yes", nil): self = .answer(nil)
        case (let number, nil) where UInt16(number.dropFirst()) != nil: self = .answer(Int(number.dropFirst()))
        case ("/me", let text?): self = .act(text)
        case ("/msg", _), ("/query", _): self = .whisper
        case ("/join", let room?): self = .join(room)
        case ("/leave", _), ("/part", _): self = .leave(argument)
        case ("/search", _): self = .search(rest)
        case ("/me", nil): self = .parseError("/me needs a text, such as: /me waves")
        case ("/join", nil): self = .parseError("/join needs the name of a room")
        case ("/help", nil), ("/?", nil): self = .help
        case ("/quit", nil), ("/exit", nil), ("/q", nil): self = .quit
        case ("/color", _), ("/colour", _): self = .color(argument)
        case ("/name", _), ("/nick", _): self = .name(argument)
        case ("/history", nil): self = .history(Self.usualHistory)
        case ("/history", let count?):
            let number = Int(count).flatMap { (1...Self.mostHistory).contains($0) ? $0 : nil }
            self = number.map { .history($0) } ?? .parseError("/history takes a number from 1 to \(Self.mostHistory)")
        case ("/who", _), ("/yes", _), ("/help", _), ("/?", _), ("/quit", _), ("/exit", _), ("/q", _):
            self = .parseError("\(command) takes no argument")
        default:
            switch ModerationCommand.read(command, argument) {
            case .command(let command): self = .moderate(command)
            case .parseError(let text): self = .parseError(text)
            case nil: self = .parseError("there is no \(command); /help lists the commands, and //text sends /text")
            }
        }
    }

    /// The commands that `/help` shows; they can also be completed.
    static let list: [(command: String, meaning: String)] = [
        ("/who", "list the members"),
        ("/join ROOM", "join another room, or go to one that is open"),
        ("/leave [ROOM]", "leave a room"),
        ("/search TEXT", "find a text in what is loaded, like Ctrl-R"),
        ("/me TEXT", "say something about yourself: /me waves"),
        ("/name NAME", "change your name"),
        ("/color COLOR", "change your colour: #2e7d32, or a CSS colour name"),
        ("/history [N]", "show older messages; again for still older ones"),
        ("/help", "show this list"),
        ("/quit", "leave, like Ctrl-D and Ctrl-C"),
        ("//text", "send /text"),
    ]

    static let nothingToConfirm = "there is nothing to confirm"
    static let nothingToChoose = "there is nothing of that number to choose"

    /// For those who ask who is here where the channel does not show it.
    static let noMembers = "this channel does not show who is in the room"

    /// The answer to people who look for private messages, which are not there.
    static let noWhispers =
        "there are no private messages: everybody in a room can read what is said in it; NAME: TEXT here calls somebody"
}

extension StringProtocol {
    fileprivate func trimming(_ character: Character) -> Substring {
        let start = self.drop { $0 == character }
        return Substring(start.prefix(start.count - start.reversed().prefix { $0 == character }.count))
    }
}
