import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// What somebody was answered, once it came.
final class Answer<Value> {
    private(set) var result: Result<Value, RequestError>?
    private(set) var count = 0

    func callAsFunction(_ result: Result<Value, RequestError>) {
        self.result = result
        self.count += 1
    }

    var value: Value? { try? self.result?.get() }
    var code: Code? { if case .failure(let error) = self.result { error.code } else { nil } }
}

extension TestBroker {
    private func owner(of key: RoomKey) -> RoomShard {
        self.shards[Int(key.stableHash % UInt64(self.shards.count))].onLoop
    }

    /// What `ModeratedRooms.redact` does; not answered on return.
    func redact(
        _ message: MessageReference,
        in key: RoomKey = .make(),
        reason: String? = nil
    ) -> Answer<RedactionReceipt> {
        let answer = Answer<RedactionReceipt>()
        let redaction = Redaction(message: message, reason: reason, sender: .make("mod")) { answer($0) }
        self.owner(of: key).owner.redactions.redact(redaction, in: key)
        return answer
    }

    /// What `ModeratedRooms.redact` does with a step; not answered on return.
    func redact(_ step: AuthorStep, in key: RoomKey = .make()) -> Answer<AuthorStep.Receipt> {
        let answer = Answer<AuthorStep.Receipt>()
        let redaction = AuthorRedaction(step: step, sender: .make("mod")) { answer($0) }
        self.owner(of: key).owner.redactions.redact(redaction, in: key)
        return answer
    }

    /// What `ModeratedRooms.clear` does; not answered on return.
    func clear(_ key: RoomKey = .make()) -> Answer<Epoch> {
        let answer = Answer<Epoch>()
        self.owner(of: key).owner.clear(key, by: .make("mod")) { answer($0) }
        return answer
    }
}
