/// Lists the fields of a description, so that it can be compared with a schema.
package struct FieldListing: FieldVisitor, ~Copyable {
    private var fields: [ListedField] = []

    package var takesAll: Bool { true }

    package static func fields<Object: DescribedObject>(of type: Object.Type) -> [ListedField] {
        var listing = FieldListing()
        var object = Object(placeholder: ())
        object.fields(&listing)
        return listing.fields
    }

    package mutating func required<Value: FieldValue>(_ name: StaticString, _ value: inout Value, _ rule: FieldRule) {
        self.list(name, Value.self, rule, isRequired: true)
    }

    package mutating func optional<Value: FieldValue>(_ name: StaticString, _ value: inout Value?, _ rule: FieldRule) {
        self.list(name, Value.self, rule, isRequired: false)
    }

    package mutating func nullable<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Nullable<Value>,
        _ rule: FieldRule,
        isRequired: Bool
    ) {
        self.list(name, Value.self, rule, isRequired: isRequired)
    }

    private mutating func list(
        _ name: StaticString,
        _ type: (some FieldValue).Type,
        _ rule: FieldRule,
        isRequired: Bool
    ) {
        self.fields.append(
            ListedField(name: "\(name)", isRequired: isRequired, kind: type.kind(rule), rule: rule)
        )
    }
}
