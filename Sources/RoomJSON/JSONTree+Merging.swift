extension JSONTree {
    /// RFC 7396: the fields of `patch` in place of ours, a null for none.
    package func merged(with patch: JSONTree) -> JSONTree {
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
