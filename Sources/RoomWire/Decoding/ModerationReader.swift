import NIOCore
import RoomJSON
import RoomModel

/// Reads what a `moderate` frame asks for: one function for each form that its fields can have.
struct ModerationReader: FieldReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan<ModerationField>

    func fault(_ code: Code, _ text: String) -> RequestError { RequestError(code, text) }

    func act() throws(RequestError) -> ModerationAct {
        if let field = self.scan.duplicate {
            throw RequestError(.duplicateField, "\"\(field.name)\" is given twice; give it once")
        }
        switch try self.action() {
        case .kick: return .kick(try self.client(), reason: try self.reason())
        case .ban: return try self.impose(.ban)
        case .mute: return try self.impose(.mute)
        case .unban: return .lift(.ban, try self.subject())
        case .unmute: return .lift(.mute, try self.subject())
        case .lock: return .lock(reason: try self.reason())
        case .unlock: return .unlock
        case .slowMode: return .slowMode(seconds: try self.bounded(.seconds, 0...RoomRules.slowModeBounds.upperBound))
        case .limitMembers:
            return .limitMembers(count: try self.bounded(.memberCount, 0...RoomRules.memberLimitBounds.upperBound))
        case .redact: return try self.redact()
        case .clear: return .clear
        case .notice: return .notice(text: try self.text())
        case .show: return .show(authorOf: try self.target())
        }
    }

    private func action() throws(RequestError) -> ModerationAction {
        guard let text = try self.string(.action) else { throw self.missing(.action, "one of \(Self.actions)") }
        guard let action = ModerationAction(rawValue: text) else {
            throw RequestError(
                .invalidField,
                "\"action\" has to be one of \(Self.actions), not \"\(ErrorText.excerpt(text))\""
            )
        }
        return action
    }

    private static let actions = ModerationAction.allCases.map(\.rawValue).joined(separator: ", ")

    private func impose(_ kind: Sanction.Kind) throws(RequestError) -> ModerationAct {
        let subject = try self.subject()
        let seconds: Int? =
            if self.value(.seconds) == nil { nil } else {
                try self.bounded(.seconds, 1...ModerationAct.longestSanction)
            }
        guard kind == .ban, try self.flag(.redact) ?? false else {
            return .impose(kind, subject, reason: try self.reason(), seconds: seconds)
        }
        return .banAndRedact(try self.author(subject), reason: try self.reason(), seconds: seconds)
    }

    /// One message, or all of somebody.
    private func redact() throws(RequestError) -> ModerationAct {
        let names = [ModerationField.user, .clientID, .address].contains { self.value($0) != nil }
        guard names else {
            guard let target = try self.target() else {
                throw RequestError(
                    .missingField,
                    "\"target_seq\" or \"target_id\" is missing: name the message, or by \"user\" or \"client_id\" "
                        + "somebody whose messages are meant"
                )
            }
            return .redact(target, reason: try self.reason())
        }
        guard self.value(.targetSeq) == nil, self.value(.targetID) == nil else {
            throw RequestError(.invalidField, "name one message, or somebody whose messages are meant, not both")
        }
        let after: UInt64 = try self.integer(.afterSeq, atLeast: 0) ?? 0
        return .redactAll(try self.author(try self.subject()), after: after, reason: try self.reason())
    }

    private func author(_ subject: SanctionSubject) throws(RequestError) -> SanctionSubject {
        if case .address = subject {
            throw RequestError(
                .invalidField,
                "messages are not stored with an address: name their author by \"user\" or \"client_id\""
            )
        }
        return subject
    }

    /// Exactly one of the three fields that name somebody.
    private func subject() throws(RequestError) -> SanctionSubject {
        let fields = [ModerationField.user, .clientID, .address].filter { self.value($0) != nil }
        guard let field = fields.first else {
            throw RequestError(.missingField, "\"user\", \"client_id\" or \"address\" is missing: give one of them")
        }
        guard fields.count == 1 else {
            throw RequestError(.invalidField, "give one of \"user\", \"client_id\" and \"address\", not more")
        }
        switch field {
        case .user: return .user(try self.required(.user, 1...SanctionSubject.longestUser))
        case .clientID: return .client(try self.client())
        default: return .address(try self.address())
        }
    }

    private func client() throws(RequestError) -> ClientID {
        ClientID(try self.required(.clientID, 1...SanctionSubject.longestUser))
    }

    private func address() throws(RequestError) -> AddressRange {
        let text = try self.requiredString(.address)
        guard let range = AddressRange(text) else {
            throw RequestError(
                .invalidField,
                "\"address\" has to be an IP address, or a network such as 10.0.0.0/8 without host bits, "
                    + "not \"\(ErrorText.excerpt(text))\""
            )
        }
        return range
    }

    private func target() throws(RequestError) -> MessageReference? {
        let seq: UInt64? = try self.integer(.targetSeq, atLeast: 1)
        switch (seq, try self.uniqueID(.targetID)) {
        case (let seq?, nil): return .seq(seq)
        case (nil, let id?): return .id(id)
        case (nil, nil): return nil
        case (_?, _?): throw RequestError(.invalidField, "give \"target_seq\" or \"target_id\", not both")
        }
    }

    private func reason() throws(RequestError) -> String? {
        self.value(.reason) == nil ? nil : try self.required(.reason, 1...ModerationAct.longestReason)
    }

    private func text() throws(RequestError) -> String {
        try self.required(.text, 1...ModerationAct.longestNotice)
    }

    /// A string that has to be there, and has so many bytes.
    private func required(_ field: ModerationField, _ bounds: ClosedRange<Int>) throws(RequestError) -> String {
        let text = try self.requiredString(field)
        guard bounds.contains(text.utf8.count) else {
            throw RequestError(
                .invalidField,
                "\"\(field.name)\" has to have \(bounds.lowerBound) to \(bounds.upperBound) bytes, not \(text.utf8.count)"
            )
        }
        return text
    }

    private func bounded(_ field: ModerationField, _ bounds: ClosedRange<Int>) throws(RequestError) -> Int {
        let right = "an integer from \(bounds.lowerBound) to \(bounds.upperBound)"
        guard let place = self.value(field) else { throw self.missing(field, right) }
        guard case .value(let number) = JSONInteger.read(self.bytes.slice(place), as: Int.self), bounds.contains(number)
        else { throw self.misfit(field, right, place) }
        return number
    }
}
