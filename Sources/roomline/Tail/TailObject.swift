import Foundation
import RoomClient

/// One event as a JSON object in one line. Values that others have sent stand there as they were sent.
enum TailObject {
    static func line(for event: RoomEvent<JSON>, in room: String, escapesUnsafe: Bool) -> String {
        let line = "{" + self.fields(of: event, in: room).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        return escapesUnsafe ? self.escaped(line) : line
    }

    private static func fields(of event: RoomEvent<JSON>, in room: String) -> [(String, String)] {
        switch event {
        case .message(let message), .signal(_, let message):
            let place = message.position.map { self.place($0) } ?? []
            return self.head("message", room) + place + [
                ("id", self.string(message.id.uuidString.lowercased())),
                ("time", self.string(message.time.formatted(Self.time))),
                ("sender", self.object(message.sender)),
                ("message", message.json.description),
            ] + (message.isRedacted ? [("redacted", "true")] : [])
        case .members(let members):
            let list = members.map { self.object(.member($0)) }.joined(separator: ",")
            return self.head("members", room) + [("members", "[\(list)]")]
        case .joined(let member): return self.head("joined", room) + [("member", self.object(.member(member)))]
        case .left(let member): return self.head("left", room) + [("member", self.object(.member(member)))]
        case .updated(let member): return self.head("updated", room) + [("member", self.object(.member(member)))]
        case .gap(let gap):
            let seqs = gap.seqs.map { [("from_seq", "\($0.lowerBound)"), ("to_seq", "\($0.upperBound)")] } ?? []
            let reason = ("reason", self.string(gap.reason.rawValue))
            return self.head("gap", room) + [("epoch", self.string(gap.epoch))] + seqs + [reason]
        case .redacted(let redaction):
            return self.head("redacted", room) + self.place(redaction.position) + [
                ("target_seq", "\(redaction.messageSeq)"),
                ("target_id", self.string(redaction.messageID.uuidString.lowercased())),
            ] + self.optional("reason", redaction.reason) + [("sender", self.object(redaction.sender))]
        case .cleared(let position, let sender):
            return self.head("cleared", room) + self.place(position) + [("sender", self.object(sender))]
        case .notice(let notice):
            let seconds = notice.interval.map { [("seconds", "\($0.components.seconds)")] } ?? []
            return self.head("notice", room) + [("text", self.string(notice.text))]
                + self.optional("code", notice.code?.rawValue) + seconds + [("sender", self.object(notice.sender))]
        case .muteChanged(let mute?):
            let until = mute.until?.formatted(Self.time)
            return self.head("muted", room) + self.optional("reason", mute.reason) + self.optional("until", until)
        case .muteChanged(nil): return self.head("unmuted", room)
        }
    }

    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func head(_ type: String, _ room: String) -> [(String, String)] {
        [("type", self.string(type)), ("room", self.string(room))]
    }

    private static func place(_ position: RoomPosition) -> [(String, String)] {
        [("epoch", self.string(position.epoch)), ("seq", "\(position.seq)")]
    }

    private static func optional(_ key: String, _ text: String?) -> [(String, String)] {
        text.map { [(key, self.string($0))] } ?? []
    }

    private static func object(_ sender: MessageSender) -> String {
        let fields: [(String, String?)] =
            switch sender {
            case .service(let id, let kind): [("id", self.string(id)), ("kind", self.string(kind))]
            case .member(let member):
                [
                    ("id", self.string(member.id)), ("clientData", member.clientData?.description),
                    ("authData", member.authData?.description),
                ]
            }
        return "{" + fields.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }.joined(separator: ",") + "}"
    }

    private static func string(_ text: String) -> String {
        // Text can always be written as JSON.
        (try? JSON(encoding: text).description) ?? "\"\""
    }

    /// Only strings can have such characters, and there the escape means the same.
    static func escaped(_ json: String) -> String {
        var result = ""
        for scalar in json.unicodeScalars {
            if scalar == " " || TerminalText.line(String(scalar)) == String(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }
}
