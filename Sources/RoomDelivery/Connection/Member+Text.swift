import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Requests of plain-text clients.
extension Member {
    func handle(_ line: TextLine, _ room: RoomName) {
        switch TextRequest(line) {
        case .nothing: break
        case .advise(let text): self.connection.say(text)
        case .help: for line in Self.help { self.connection.say(line) }
        case .quit:
            self.connection.say("goodbye")
            self.connection.inputEnded()
        case .rename(let name, let clientData): self.rename(name, clientData, room)
        case .publish(let message, let echoes):
            if let error = self.refusal(of: message, in: room) { return self.connection.refuse(error) }
            let command = PublishCommand(
                origin: Origin(connection: self.connection.ref, callback: nil),
                sender: self.session.identity.sender,
                message: message,
                echoes: echoes,
                author: self.session.identity.author
            )
            self.deliver(command, to: room)
        }
    }

    private static let help = [
        "iam:NAME gives you a name, and another one later", "msg:TEXT is seen by everyone, you too",
        "any other line is seen by the others", "quit leaves",
    ]

    private func rename(_ name: String, _ clientData: ByteBuffer, _ room: RoomName) {
        if let error = self.updateRefusal() { return self.connection.refuse(error) }
        self.session.updated(clientData: clientData)
        let rename = RenameCommand(
            origin: Origin(connection: self.connection.ref, callback: nil),
            sender: self.session.identity.sender,
            name: name,
            author: self.session.identity.author
        )
        self.submit(.rename(rename), to: room)
    }

    private func refusal(of message: ByteBuffer, in room: RoomName) -> RequestError? {
        self.channel.refusal(
            ofMessageBytes: message.readableBytes,
            into: room,
            sanction: self.session.isSanctioned ? self.session.sanction(onPublishingInto: room) : nil
        ) ?? self.rateRefusal()
    }
}
