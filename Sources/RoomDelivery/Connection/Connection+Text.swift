import NIOCore
import RoomCore
package import RoomModel
package import RoomWire

/// What a plain-text client types (protocol §4). It is a member of the one text room from its first line on.
extension Connection {
    /// The longest name, in bytes.
    private static let nameLimit = 64

    /// Lets the client into the text room.
    package func beginText(room: RoomName, channel id: ChannelID) {
        self.wireFormat = .textLines
        guard let channel = self.shard.channels[id] else {
            self.goodbye(.unknownChannel, reason: "plain text is not available: its channel does not exist")
            return
        }
        let client = self.shard.newClientID()
        let activeSanctions = self.activeSanctions(of: nil, client, in: channel)
        let ban = activeSanctions.channelBan.map { RequestError.banned($0) }
        if let error = channel.refusalOfText ?? ban ?? self.count(in: channel) {
            self.goodbye(error.code, reason: error.text)
            return
        }
        self.session = Session(textIn: channel, id: client, address: self.address, activeSanctions: activeSanctions)
        self.limitMember(from: nil)
        self.tellConnected()
        self.tellMutes(in: nil)
        _ = self.subscribe(SubscribeRequest(rooms: .one(room)), callback: nil)
    }

    package func handle(_ line: TextLine, room: RoomName) -> Handling {
        // answered in order: its own lines come back to it
        guard self.session.isSettled else { return .wait }
        switch line {
        case .blank: break
        case .name(let name): self.take(name, room)
        case .message(let text): self.publish(text, room, echoes: true)
        case .other(let text): self.publish(text, room, echoes: false)
        case .json: self.say("a JSON client has to begin its connection with JSON; this one began as plain text")
        case .invalidUTF8: self.say("that line is no UTF-8 text; set your terminal to UTF-8")
        }
        return .done
    }

    private func take(_ name: String, _ room: RoomName) {
        guard !name.isEmpty else { return self.say("the name is empty; say iam:NAME") }
        guard name.utf8.count <= Self.nameLimit else {
            return self.say("the name is too long; it can have \(Self.nameLimit) bytes")
        }
        if let error = self.updateRefusal() { return self.refuse(error) }
        var data = ByteBuffer(string: "{\"name\":")
        data.writeJSONString(name)
        data.writeString(",\"color\":\"\(NameColor.derived(from: name).text)\"}")
        self.session.updated(clientData: data)
        guard let identity = self.session.identity else { return }
        let rename = RenameCommand(
            origin: Origin(connection: self.ref, callback: nil),
            sender: identity.sender,
            name: name,
            author: identity.author
        )
        self.shard.submit(.rename(rename), to: room, in: identity.channel)
    }

    private func publish(_ text: String, _ room: RoomName, echoes: Bool) {
        if self.session.isSanctioned {
            self.reviewEndedSanctions()
            if let error = self.session.sanction(onPublishingInto: room) { return self.refuse(error) }
        }
        guard let identity = self.session.identity else { return }
        if let error = self.rateRefusal() { return self.refuse(error) }
        var message = ByteBuffer()
        message.writeJSONString(text)
        if let error = identity.channel.refusal(ofMessageBytes: message.readableBytes) { return self.refuse(error) }
        guard message.readableBytes <= self.shard.limits.frame.message else {
            return self.say("the message is too long; the limit is \(self.shard.limits.frame.message) bytes")
        }
        let command = PublishCommand(
            origin: Origin(connection: self.ref, callback: nil),
            sender: identity.sender,
            message: message,
            echoes: echoes,
            author: identity.author
        )
        self.shard.submit(.publish(command), to: room, in: identity.channel)
    }

    /// A line for this client alone.
    package func say(_ text: String) {
        self.writer.reply { TextLineWriter.line(text, into: &$0) }
        self.shard.enqueue(self)
    }
}
