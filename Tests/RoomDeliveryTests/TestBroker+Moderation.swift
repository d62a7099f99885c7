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

    /// What `ModeratedRooms.perform` does; not answered on return.
    private func perform<Value>(
        _ act: RoomAct,
        in key: RoomKey,
        _ value: @escaping (ModerationReceipt) -> Value?
    ) -> Answer<Value> {
        let answer = Answer<Value>()
        self.owner(of: key).owner.acts.perform(act, in: key, by: .make("mod")) { result in
            switch result {
            case .success(let receipt): if let value = value(receipt) { answer(.success(value)) }
            case .failure(let error): answer(.failure(error))
            }
        }
        return answer
    }

    func redact(
        _ message: MessageReference,
        in key: RoomKey = .make(),
        reason: String? = nil
    ) -> Answer<RedactionReceipt> {
        self.perform(.redact(message, reason: reason), in: key) {
            if case .redacted(let receipt) = $0 { receipt } else { nil }
        }
    }

    /// What `ModeratedRooms.redact` does with a step; not answered on return.
    func redact(_ step: AuthorStep, in key: RoomKey = .make()) -> Answer<AuthorStep.Receipt> {
        let answer = Answer<AuthorStep.Receipt>()
        let redaction = AuthorRedaction(step: step, sender: .make("mod")) { answer($0) }
        self.owner(of: key).owner.redactions.redact(redaction, in: key)
        return answer
    }

    func clear(_ key: RoomKey = .make()) -> Answer<Epoch> {
        self.perform(.clear, in: key) { if case .cleared(let epoch) = $0 { epoch } else { nil } }
    }
}
