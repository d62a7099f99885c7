import Foundation
import Scaledrone

/// A chat service written for version 0.3: `NSError?` everywhere, the member beside the message.
final class FormerChatService {
    private let scaledrone: Scaledrone
    private let onMessage: (ChatMessage) -> Void
    private let onTyping: (ChatMember, Bool) -> Void
    private let onConnect: () -> Void
    private var room: ScaledroneRoom?

    init(
        member: ChatMember,
        url: String,
        onConnect: @escaping () -> Void,
        onMessage: @escaping (ChatMessage) -> Void,
        onTyping: @escaping (ChatMember, Bool) -> Void
    ) {
        self.onConnect = onConnect
        self.onMessage = onMessage
        self.onTyping = onTyping
        scaledrone = Scaledrone(channelID: "default", url: url, data: member.json, delegateQueue: .main)
        scaledrone.delegate = self
        scaledrone.connect()
    }

    func send(_ text: String) {
        room?.publish(message: text)
    }

    func type(_ isTyping: Bool) {
        room?.publish(message: ["typing": isTyping])
    }
}

extension FormerChatService: ScaledroneDelegate {
    func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?) {
        room = scaledrone.subscribe(roomName: "observable-room")
        room?.delegate = self
    }

    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?) {
        print("Something went wrong:", error ?? "")
    }

    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?) {
        print("That was it:", error ?? "")
    }
}

extension FormerChatService: ScaledroneRoomDelegate {
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?) {
        if error == nil { onConnect() }
    }

    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {
        guard let sender = ChatMember(json: member?.clientData) else { return }
        if let typing = message as? [String: Bool], let isTyping = typing["typing"] {
            onTyping(sender, isTyping)
        } else if let text = message as? String {
            onMessage(ChatMessage(sender: sender, text: text))
        }
    }
}
