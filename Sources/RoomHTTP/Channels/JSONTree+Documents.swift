import RoomJSON
import RoomModel

extension JSONTree {
    /// RFC 3339 in UTC, with milliseconds.
    static func time(milliseconds: Int64) -> JSONTree {
        let digits = String(1_000 + milliseconds % 1_000).dropFirst()
        return .string("\(UTCTime.text(milliseconds: milliseconds).dropLast()).\(digits)Z")
    }

    /// A number of seconds, with milliseconds where there are some.
    static func seconds(_ duration: Duration) -> JSONTree {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return .integer(seconds) }
        let digits = String(1_000 + milliseconds).dropFirst()
        return .number("\(seconds).\(digits)")
    }
}

extension JSONTree {
    /// RFC 7396: the fields of `patch` in place of ours, a null for none.
    func merged(with patch: JSONTree) -> JSONTree {
        guard case .object(let changes) = patch else { return patch }
        var fields: [Field] = []
        if case .object(let own) = self { fields = own }
        for change in changes {
            let place = fields.firstIndex { $0.name == change.name }
            switch (change.value, place) {
            case (.null, let place?): fields.remove(at: place)
            case (.null, nil): break
            case (let value, let place?): fields[place].value = fields[place].value.merged(with: value)
            case (let value, nil): fields.append(Field(change.name, JSONTree.null.merged(with: value)))
            }
        }
        return .object(fields)
    }
}
