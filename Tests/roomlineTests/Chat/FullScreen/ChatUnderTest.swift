import Foundation
import RoomModel

@testable import RoomClient
@testable import roomline

/// A full screen whose events the test makes, at times that the test says.
struct ChatUnderTest {
    static let epoch = "00000000000000aa"
    /// 2026-11-21 12:30 UTC.
    private static let start = Date(timeIntervalSince1970: 1_795_264_200)
    private static let instant = ContinuousClock.now

    var chat: FullScreenChat
    /// What the last event has led to.
    private(set) var actions: [ChatAction] = []
    private var elapsed = Duration.zero
    private var seqs: [String: UInt64] = [:]
    private var messages = 0

    init(
        rooms: [String] = ["lobby"],
        columns: Int = 80,
        rows: Int = 24,
        name: String = "Luke",
        history: Int = 0
    ) {
        self.chat = FullScreenChat(
            profile: MemberProfile(name: name, color: MemberColor(red: 0x2e, green: 0x7d, blue: 0x32)),
            rooms: rooms,
            history: history,
            size: FullScreenChat.Size(columns: columns, rows: rows),
            timeZone: Golden.utc
        )
        self.chat.connectionChanged(to: .connected(clientID: "me"), self.now)
        for room in rooms {
            self.actions += self.chat.joined(room, at: RoomPosition(epoch: Self.epoch, seq: 0), showsMembers: true)
        }
    }

    var now: ChatTime {
        ChatTime(date: Self.start + Double(self.elapsed.components.seconds), instant: Self.instant + self.elapsed)
    }

    mutating func advance(_ duration: Duration) {
        self.elapsed += duration
        self.actions = self.chat.ticked(self.now)
    }

    static func member(_ name: String, id: String? = nil, user: String? = nil) -> ChatMember {
        ChatMember(person: Person(id: id ?? name.lowercased(), name: name), user: user)
    }

    static let me = Self.member("Luke", id: "me")

    // MARK: Events

    mutating func happens(_ news: RoomNews, in room: String = "lobby") {
        self.actions = self.chat.happened(news, in: room, self.now)
    }

    /// - Returns: the id of the message.
    @discardableResult
    mutating func says(
        _ text: String,
        by name: String = "Leia",
        in room: String = "lobby",
        isOwn: Bool = false
    ) -> UUID {
        let message = self.message(text, by: isOwn ? Self.me : Self.member(name), in: room, isOwn: isOwn)
        self.happens(.message(message, self.now.date), in: room)
        return message.id
    }

    mutating func message(
        _ text: String,
        by sender: ChatMember,
        in room: String = "lobby",
        isOwn: Bool = false
    ) -> ChatEntry.Message {
        self.messages += 1
        self.seqs[room, default: 0] += 1
        let id = UUID(UniqueID(high: 7, low: UInt64(self.messages)))
        return ChatEntry.Message(
            id: id,
            seq: self.seqs[room],
            sender: sender,
            body: MessageBody(text),
            isOwn: isOwn
        )
    }

    mutating func press(_ keys: Key...) {
        self.actions = keys.flatMap { self.chat.pressed($0, self.now) }
    }

    mutating func type(_ text: String) {
        self.actions = text.unicodeScalars.flatMap { self.chat.pressed(.text($0), self.now) }
    }

    mutating func enter(_ line: String) {
        self.type(line)
        self.press(.enter)
    }

    /// The broker lets the user do what was entered last, which may lead to a question.
    mutating func permit() { self.permit(self.actions) }

    mutating func permit(_ actions: [ChatAction]) {
        self.actions = []
        for case .moderate(let input) in actions {
            var checked = input
            if let question = try? checked.question() {
                self.chat.asked(question, of: input, self.now)
            } else {
                self.actions.append(.moderate(checked))
            }
        }
    }

    /// The one whom the last act is done to, once the broker has let the user do it.
    var target: ModerationTarget? {
        guard case .moderate(let input)? = self.actions.first else { return nil }
        return input.target
    }

    mutating func connection(_ state: ConnectionState) {
        self.chat.connectionChanged(to: state, self.now)
    }

    mutating func lose(retryIn pause: Duration = .seconds(8)) {
        self.connection(.waiting(retryIn: pause, RoomClientError(.connectionLost, "gone")))
    }

    // MARK: The screen

    var frame: ScreenFrame { FullScreenView(self.chat).frame() }

    /// Without blanks at the ends of the rows.
    var screen: [String] {
        self.frame.rows.map { row in
            var text = row.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    func sees(_ part: String) -> Bool { self.screen.contains { $0.contains(part) } }

    /// The styles of the pieces that are exactly this text.
    func styles(of text: String) -> [StyledLine.Style] {
        self.frame.rows.flatMap { $0.spans.filter { $0.text == text }.map(\.style) }
    }
}
