package import RoomModel

/// An object that is described once: each field with its name, its bounds and whether it can be absent.
///
/// Whatever is done with the fields is done by a visitor that walks over them: ``ObjectReader`` reads them from JSON,
/// ``ObjectWriter`` writes them, ``FieldListing`` lists them for a comparison with a schema. An object with no `fields` of its
/// own is one without fields.
///
///     struct Reaction: DescribedObject {
///         var room: RoomName
///         var emoji: String
///         var data: ByteBuffer?
///         var remove = false
///
///         init(placeholder: ()) { self.init(room: RoomName(""), emoji: "") }
///
///         mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
///             try visitor.field("room", &self.room)
///             try visitor.field("emoji", &self.emoji, .within(1...64))
///             try visitor.field("data", &self.data)
///             try visitor.field("remove", &self.remove, or: false)
///             if self.remove, self.data != nil { try visitor.refuse("\"remove\" cannot go with \"data\"") }
///         }
///     }
///
/// A value that JSON has in another form goes through a local variable: set before its `field`, and taken over behind it.
package protocol DescribedObject: FieldValue {
    /// Values that stand in until the fields have been read.
    init(placeholder: ())

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault)
}

/// Walks over the fields of a ``DescribedObject``. Descriptions call the functions named `field`; a visitor has the other ones.
package protocol FieldVisitor: ~Copyable {
    /// `Never` where nothing can be wrong.
    associatedtype Fault: Error

    /// The visitor takes every field that there can be, whatever the values say.
    var takesAll: Bool { get }

    /// A field that has to be there.
    mutating func required<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule
    ) throws(Fault)

    /// A field that can be absent, or `null`.
    mutating func optional<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule
    ) throws(Fault)

    /// A field in which `null` says something else than absence.
    ///
    /// - Parameter isRequired: a writer always has it; a reader takes absence for what it is all the same.
    mutating func nullable<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Nullable<Value>,
        _ rule: FieldRule,
        isRequired: Bool
    ) throws(Fault)

    /// A fault that no single field has. Only a visitor that reads does something about it.
    mutating func refuse(_ error: @autoclosure () -> RequestError) throws(Fault)
}

extension FieldVisitor where Self: ~Copyable {
    /// - Parameter condition: whether the object has the field at all, as the fields before it say: one of another form of a union is
    ///   neither read nor written.
    package mutating func field<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule = .any,
        when condition: Bool = true
    ) throws(Fault) {
        if condition || self.takesAll { try self.required(name, &value, rule) }
    }

    package mutating func field<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule = .any,
        when condition: Bool = true
    ) throws(Fault) {
        if condition || self.takesAll { try self.optional(name, &value, rule) }
    }

    /// A field that is left out where it has its usual value.
    package mutating func field<Value: FieldValue & Equatable>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule = .any,
        or usual: Value,
        when condition: Bool = true
    ) throws(Fault) {
        var unusual = value == usual ? nil : value
        try self.field(name, &unusual, rule, when: condition)
        value = unusual ?? usual
    }

    /// A field that is `null` where there is no value. A reader also takes its absence for that.
    package mutating func nullable<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule = .any
    ) throws(Fault) {
        var field = value.map { Nullable.value($0) } ?? .null
        try self.nullable(name, &field, rule, isRequired: true)
        value = field.value
    }

    /// A field of a change: absent where nothing changes, `null` where what was set is taken back.
    package mutating func change<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Nullable<Value>,
        _ rule: FieldRule = .any
    ) throws(Fault) {
        try self.nullable(name, &value, rule, isRequired: false)
    }

    package mutating func refuse(_ error: @autoclosure () -> RequestError) throws(Fault) {}

    package mutating func refuse(_ text: @autoclosure () -> String) throws(Fault) {
        try self.refuse(RequestError(.invalidField, text()))
    }
}
