import Foundation
import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomClient
@testable import RoomWire

extension Epoch {
    static func make(_ number: UInt64 = 7) -> Epoch { Epoch(rawValue: number) }
}

extension Position {
    static func make(_ seq: UInt64, epoch: UInt64 = 7) -> Position {
        Position(epoch: .make(epoch), seq: seq)
    }
}

extension SubscribeReply {
    static func make(_ seq: UInt64, epoch: UInt64 = 7) -> SubscribeReply {
        SubscribeReply(epoch: .make(epoch), seq: seq, recovered: nil)
    }
}

extension GapEvent {
    static func make(_ from: UInt64, _ through: UInt64, epoch: UInt64 = 7, _ reason: String = "trimmed") -> GapEvent {
        GapEvent(
            room: RoomName("lobby"),
            epoch: Epoch.make(epoch).description,
            from: from,
            through: through,
            reason: reason
        )
    }
}

extension RoomGap {
    static func make(_ seqs: ClosedRange<UInt64>?, epoch: UInt64 = 7, _ reason: Reason = .trimmed) -> RoomGap {
        RoomGap(epoch: Epoch.make(epoch).description, seqs: seqs, reason: reason)
    }
}

extension Member {
    static func make(_ id: String = "bob", data: JSON? = nil) -> Member {
        Member(id: id, clientData: data, authData: nil)
    }
}

extension IncomingMessage {
    /// - Parameter seq: `nil` for an ephemeral message.
    static func make(_ seq: UInt64?, epoch: UInt64 = 7, json: String? = nil) -> IncomingMessage {
        IncomingMessage(
            id: .make((seq ?? 0) & 0xffff_ffff),
            position: seq.map { .make($0, epoch: epoch) },
            sender: .member(.make()),
            json: JSON(unchecked: ByteBuffer(string: json ?? seq.map(String.init) ?? "null")),
            isHistory: false,
            isRedacted: false
        )
    }
}

extension RoomRedaction {
    /// The redaction at `seq` of the message that ``IncomingMessage/make(_:epoch:json:)`` makes.
    static func make(_ seq: UInt64, of target: UInt64, epoch: UInt64 = 7) -> RoomRedaction {
        RoomRedaction(
            id: UUID(UniqueID.make(seq & 0xffff_ffff)),
            position: RoomPosition(.make(seq, epoch: epoch)),
            messageID: UUID(UniqueID.make(target & 0xffff_ffff)),
            messageSeq: target,
            reason: nil,
            sender: .member(.make("mod")),
            time: Date(UniqueID.make(seq & 0xffff_ffff))
        )
    }
}

extension IncomingEvent {
    static func message(_ seq: UInt64?, epoch: UInt64 = 7) -> IncomingEvent {
        .message(.make(seq, epoch: epoch))
    }

    static func redacted(_ seq: UInt64, of target: UInt64, epoch: UInt64 = 7) -> IncomingEvent {
        .redacted(.make(seq, of: target, epoch: epoch))
    }

    static func cleared(epoch: UInt64, seq: UInt64 = 0) -> IncomingEvent {
        .cleared(.make(seq, epoch: epoch), by: .member(.make("mod")))
    }

    var position: Position? {
        switch self {
        case .message(let message): message.position
        case .redacted(let redaction): Position(redaction.position)
        default: nil
        }
    }

    /// In short: `3`, `~` for an ephemeral message, `gap 4-6 slow`, `+bob`.
    var summary: String {
        switch self {
        case .message(let message): (message.isRedacted ? "x" : "") + (message.seq.map(String.init) ?? "~")
        case .members(let members): "members \(members.map(\.id).joined(separator: " "))"
        case .joined(let member): "+\(member.id)"
        case .left(let member): "-\(member.id)"
        case .updated(let member): "=\(member.id)"
        case .gap(let gap): "gap \(gap.seqs.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "?") \(gap.reason)"
        case .redacted(let redaction): "\(redaction.position.seq) takes \(redaction.messageSeq)"
        case .cleared(let position, _): "cleared \(position.epoch.map { "\($0.rawValue)" } ?? "?") \(position.seq)"
        case .notice(let notice): "* \(notice.text)"
        case .muteChanged(let mute?): "muted \(mute.reason ?? "")"
        case .muteChanged(nil): "unmuted"
        }
    }
}

extension ReplyError {
    static func make(_ code: String, _ text: String = "t") -> ReplyError {
        ReplyError(code: code, text: text, retryAfterMilliseconds: nil)
    }
}
