import Foundation
import Scaledrone

/// A member of the chat, as the others see it.
struct ChatMember: Equatable {
    let name: String
    let color: String

    /// The `clientData` that the others see.
    var json: [String: Any] { ["name": name, "color": color] }
}

extension ChatMember {
    init?(json: Any?) {
        guard let fields = json as? [String: Any],
            let name = fields["name"] as? String,
            let color = fields["color"] as? String
        else { return nil }
        self.init(name: name, color: color)
    }
}

struct ChatMessage: Equatable {
    let sender: ChatMember
    let text: String
}

final class ChatService {
    private let scaledrone: Scaledrone
    private let onMessage: (ChatMessage) -> Void
    private let onMembers: ([ChatMember]) -> Void
    private var room: ScaledroneRoom?
    private var members: [ChatMember] = [] {
        didSet { onMembers(members) }
    }

    init(
        member: ChatMember,
        url: String,
        onMessage: @escaping (ChatMessage) -> Void,
        onMembers: @escaping ([ChatMember]) -> Void
    ) {
        self.onMessage = onMessage
        self.onMembers = onMembers
        // On Apple's systems the main queue is the default.
        scaledrone = Scaledrone(channelID: "default", url: url, data: member.json, delegateQueue: .main)
        scaledrone.delegate = self
        scaledrone.connect()
    }

    func send(_ text: String) {
        room?.publish(message: text)
    }

    func leave() {
        scaledrone.disconnect()
    }
}

extension ChatService: ScaledroneDelegate {
    func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) {
        if let error {
            print("There is no chat today:", error.localizedDescription)
            return
        }
        room = scaledrone.subscribe(roomName: "observable-room", messageHistory: 50)
        room?.delegate = self
        room?.observableDelegate = self
    }

    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?) {
        print("Something went wrong:", error?.localizedDescription ?? "")
    }

    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) {
        room = nil
        members = []
    }
}

extension ChatService: ScaledroneRoomDelegate {
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) {
        if let error { print("The room is closed to us:", error.localizedDescription) }
    }

    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
        guard let text = message.data as? String, let sender = ChatMember(json: message.member?.clientData) else {
            return
        }
        onMessage(ChatMessage(sender: sender, text: text))
    }
}

extension ChatService: ScaledroneObservableRoomDelegate {
    func scaledroneObservableRoomDidConnect(room: ScaledroneRoom, members: [ScaledroneMember]) {
        self.members = members.compactMap { ChatMember(json: $0.clientData) }
    }

    func scaledroneObservableRoomMemberDidJoin(room: ScaledroneRoom, member: ScaledroneMember) {
        if let member = ChatMember(json: member.clientData) { members.append(member) }
    }

    func scaledroneObservableRoomMemberDidLeave(room: ScaledroneRoom, member: ScaledroneMember) {
        members.removeAll { $0 == ChatMember(json: member.clientData) }
    }
}
