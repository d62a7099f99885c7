import RoomClient
import RoomModel

/// A member or another sender as people should see it: a name that is fit to be shown, and its colour.
struct Person: Equatable, Sendable {
    let id: String
    /// `nil` where its data has no name.
    let name: String?
    /// The same, longer than it is shown.
    let wholeName: String?
    /// The one that it chose.
    let chosenColor: NameColor?

    init(id: String, name: String?, color: String? = nil) {
        self.id = id
        self.wholeName = name.flatMap { TerminalText.name($0, upTo: TerminalText.longestWholeName) }
        self.name = self.wholeName?.shortened(toColumns: TerminalText.longestName)
        self.chosenColor = color.flatMap { NameColor($0) }
    }

    init(id: String, profile: MemberProfile) {
        self.init(id: id, name: profile.name, color: profile.color?.description)
    }

    init(_ member: Member) {
        self.init(id: member.id, clientData: member.clientData)
    }

    /// - Parameter clientData: what the client says of itself.
    init(id: String, clientData: JSON?) {
        // Member data can be anything; then it has no name.
        let look = try? clientData?.decode(as: Look.self)
        self.init(id: id, name: look?.name, color: look?.color)
    }

    /// An administrator is one to the people in a room, whichever it is.
    init(_ sender: MessageSender) {
        switch sender {
        case .member(let member): self.init(member)
        case .service(let id, "admin"): self.init(id: id, name: "an administrator")
        case .service(let id, let kind): self.init(service: id, of: kind)
        }
    }

    /// The REST API, or another sender that is not a member. An administrator who looks is told which one it was.
    init(service id: String, of kind: String) {
        let shown = kind == "rest" ? "REST" : kind
        self.init(id: id, name: id == kind ? shown : "\(id) (\(shown))")
    }

    var shownName: String { self.name ?? "somebody" }

    var color: NameColor { self.chosenColor ?? .derived(from: self.shownName) }
    var span: StyledLine.Span { StyledLine.Span(text: self.shownName, style: .name(self.color)) }

    /// The fields of ``MemberProfile``, but where only one of them is right, that one counts.
    private struct Look: Decodable {
        let name: String?
        let color: String?

        private enum Key: CodingKey {
            case name, color
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            self.name = try? fields.decode(String.self, forKey: .name)
            self.color = try? fields.decode(String.self, forKey: .color)
        }
    }
}
