import RoomCore
import RoomDocuments
package import RoomModel
import RoomWire

/// The checks that every act has to pass, whoever asks for it and on whatever way.
package enum ModerationCheck {
    static let longestSubject = SanctionSubject.longestUser

    static func reason(_ reason: String?) throws(RequestError) {
        guard let reason else { return }
        try self.text(reason, "reason", atMost: ModerationAct.longestReason)
    }

    static func act(_ act: RoomAct) throws(RequestError) {
        if let client = act.client { try self.subject(.client(client)) }
        if case .notice(let notice) = act { try self.text(notice.text, "text", atMost: ModerationAct.longestNotice) }
        try self.reason(act.reason)
    }

    package static func subject(_ subject: SanctionSubject) throws(RequestError) {
        switch subject {
        case .user(let user): try self.name(user, "user")
        case .client(let client): try self.name(client.text, "client_id")
        case .address: break
        }
    }

    /// - Parameter seconds: `nil`: until it is lifted.
    static func seconds(_ seconds: Int?) throws(RequestError) {
        guard let seconds else { return }
        try self.number(seconds, "seconds", in: 1...ModerationAct.longestSanction)
    }

    static func rules(_ change: AdminRulesPatch) throws(RequestError) {
        if case .value(let reason) = change.lockReason { try self.reason(reason) }
        if case .value(let seconds) = change.slowMode {
            try self.number(seconds, "seconds", in: RoomRules.slowModeBounds)
        }
        if case .value(let count) = change.memberLimit {
            try self.number(count, "count", in: RoomRules.memberLimitBounds)
        }
    }

    private static func text(_ text: String, _ name: String, atMost limit: Int) throws(RequestError) {
        guard (1...limit).contains(text.utf8.count), text.isPlain else {
            throw RequestError(
                .invalidField,
                "the \(name) has to have 1 to \(limit) bytes, without control characters except line breaks and tabs"
            )
        }
    }

    private static func name(_ text: String, _ name: String) throws(RequestError) {
        guard (1...self.longestSubject).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw RequestError(
                .invalidField,
                "the \(name) has to have 1 to \(self.longestSubject) bytes, and no NUL"
            )
        }
    }

    private static func number(_ number: Int, _ name: String, in bounds: ClosedRange<Int>) throws(RequestError) {
        guard bounds.contains(number) else {
            throw RequestError(
                .invalidField,
                "\(name) is \(number); it can be from \(bounds.lowerBound) to \(bounds.upperBound)"
            )
        }
    }
}

extension String {
    /// Without control characters but line breaks and tabs.
    fileprivate var isPlain: Bool {
        self.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
        }
    }
}
