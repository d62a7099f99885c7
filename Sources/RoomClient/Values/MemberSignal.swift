import NIOCore
import RoomModel

/// A hint of a member to the others, which is worth something only now: an ephemeral message of one of two forms.
public enum MemberSignal: Sendable, Hashable {
    /// The member is typing, or has stopped: `{"typing":true}`. Show it for at most five seconds unless another one comes, and not
    /// beyond the member's next message.
    case typing(Bool)
    /// The member has read the room up to this position: `{"read":{"epoch":"5f3c9a1e7b240d86","seq":42}}`.
    case read(through: RoomPosition)
}

extension MemberSignal {
    private struct Form: Codable {
        var typing: Bool?
        var read: RoomPosition?
    }

    /// - Returns: `nil` if the message has another form.
    init?(_ json: JSON) {
        guard json.isObject, let form = try? json.decode(as: Form.self) else { return nil }
        if let typing = form.typing {
            self = .typing(typing)
        } else if let read = form.read {
            self = .read(through: read)
        } else {
            return nil
        }
    }

    /// The message of this form.
    package var json: JSON {
        let text =
            switch self {
            case .typing(let isTyping): #"{"typing":\#(isTyping)}"#
            case .read(let position):
                #"{"read":{"epoch":"\#(Position(position).epoch?.description ?? "")","seq":\#(position.seq)}}"#
            }
        return JSON(unchecked: ByteBuffer(string: text))
    }
}
