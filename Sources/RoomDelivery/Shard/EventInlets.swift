package import NIOCore

/// Takes the frames that a client posts to its event stream: the handler of the stream's channel.
package protocol EventInlet: AnyObject {
    func take(_ post: EventPost)
}

/// The body of one POST on its way to a session.
package struct EventPost {
    package enum Form: Sendable {
        /// The body is one frame.
        case frame
        /// Each line is one.
        case lines
    }

    package enum Outcome: Sendable {
        /// The session has taken all frames.
        case taken
        /// There is no such session any more; frames may have been taken before it ended.
        case sessionEnded
        /// Too many others wait for the session already.
        case tooMany
    }

    package let body: ByteBuffer
    package let form: Form
    /// Called once, on the event loop of the session.
    package let completion: (Outcome) -> Void

    package init(body: ByteBuffer, form: Form, completion: @escaping (Outcome) -> Void) {
        self.body = body
        self.form = form
        self.completion = completion
    }
}

/// The event streams of one shard that frames can be posted to, by their secrets.
package struct EventInlets {
    private var inlets: [String: any EventInlet] = [:]

    /// - Parameter secret: made by `RoomShard.newEventSecret`.
    package mutating func add(_ inlet: any EventInlet, secret: String) {
        self.inlets[secret] = inlet
    }

    package mutating func remove(_ secret: String) {
        self.inlets[secret] = nil
    }

    subscript(secret: String) -> (any EventInlet)? { self.inlets[secret] }
}

extension RoomShard {
    /// 128 random bits, and which shard to ask. Whoever has it can speak for the stream's client.
    package func newEventSecret() -> String {
        ResumeToken.make(shard: self.index, self.context.entropy.next(), self.context.entropy.next())
    }
}

/// Brings what is posted to the event loop of its session.
package struct EventPosts: Sendable {
    private let shards: [ShardRef]

    package init(shards: [ShardRef]) {
        self.shards = shards
    }

    /// Returns when the session has taken the frames, or cannot.
    ///
    /// - Parameter secret: as the client sent it.
    package func post(_ body: ByteBuffer, _ form: EventPost.Form, to secret: String) async -> EventPost.Outcome {
        guard let index = ResumeToken.shard(of: secret, count: self.shards.count) else { return .sessionEnded }
        return await withCheckedContinuation { continuation in
            self.shards[index].post { shard in
                guard let inlet = shard.eventInlets[secret] else {
                    return continuation.resume(returning: .sessionEnded)
                }
                inlet.take(EventPost(body: body, form: form) { continuation.resume(returning: $0) })
            }
        }
    }
}
