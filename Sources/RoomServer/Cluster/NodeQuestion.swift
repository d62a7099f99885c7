import NIOCore
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

/// What a node asks another one, as JSON. A version that does not know a question does not answer it.
enum NodeQuestion: Equatable {
    /// For the session of a token, which the other node gives up.
    case session(token: String, ChannelID)

    var bytes: ByteBuffer {
        switch self {
        case .session(let token, let channel):
            JSONTree.object([
                .init("ask", .string("session")), .init("token", .string(token)),
                .init("channel", .string(channel.text)),
            ]).bytes
        }
    }

    init?(_ bytes: ByteBuffer) {
        guard let tree = try? JSONTree.read(bytes), case .string("session")? = tree["ask"],
            case .string(let token)? = tree["token"], case .string(let text)? = tree["channel"],
            let channel = ChannelID(text)
        else { return nil }
        self = .session(token: token, channel)
    }
}

extension SessionElsewhere {
    /// The answer to `NodeQuestion.session`.
    static func answer(_ session: ResumedSession?) -> ByteBuffer {
        JSONTree.object([.init("session", .optional(session, \.json))]).bytes
    }

    /// - Parameter time: since the node was heard; `nil`: never.
    init(answer bytes: ByteBuffer?, heardBefore time: Duration?) {
        guard let bytes else {
            self = time.map { .silent(for: $0) } ?? .none
            return
        }
        let session = (try? JSONTree.read(bytes))?["session"].flatMap(ResumedSession.init)
        self = session.map { .session($0) } ?? .none
    }
}
