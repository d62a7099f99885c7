package import NIOCore
import RoomJSON
package import RoomModel

/// The first fault in an object that was read: the field, and what is wrong. Each reader of objects says it in its own words.
package struct FieldFault: Error {
    package enum Kind {
        /// The field is missing, or `null`; it has to be `right`.
        case missing(right: String)
        /// The value has to be `right`.
        ///
        /// - Parameter excerpt: what is known of the text of a string that has the right type and is no such value.
        case misfit(right: String, value: ByteBuffer, excerpt: String?)
        /// Completes a sentence that begins with the field.
        case unfit(String)
        case repeated
        /// A fault with a text of its own, which names the fields.
        case refused(RequestError)
    }

    /// The names of the fields, the outermost first; empty where the whole text is not an object.
    package private(set) var path: [String]
    package let kind: Kind

    package init(_ kind: Kind, path: [String] = []) {
        self.kind = kind
        self.path = path
    }

    /// The same fault, in an object that is the value of this field.
    func within(_ name: StaticString) -> FieldFault {
        FieldFault(self.kind, path: ["\(name)"] + self.path)
    }
}

extension RequestError {
    /// The fault as a client is told of it.
    package init(_ fault: FieldFault) {
        let field = fault.path.last.map { "\"\($0)\"" } ?? "it"
        let owner = fault.path.dropLast().map { "\"\($0)\"" }.joined(separator: " in ")
        switch fault.kind {
        case .refused(let error): self = error
        case .missing(let right) where owner.isEmpty:
            self.init(.missingField, "\(field) is missing, it has to be \(right)")
        case .misfit(let right, let value, let excerpt) where owner.isEmpty:
            let found =
                excerpt.map { "\"\(ErrorText.excerpt($0))\"" }
                ?? value.withUnsafeReadableBytes { ErrorText.kind(ofValue: $0) }
            self.init(.invalidField, "\(field) has to be \(right), not \(found)")
        case .missing(let right), .misfit(let right, _, _):
            self.init(.invalidField, "\(owner) needs \(field), \(right)")
        case .unfit(let text): self.init(.invalidField, "\(owner.isEmpty ? "" : "\(owner): ")\(field) \(text)")
        case .repeated: self.init(.duplicateField, "\(field) is given twice; give it once")
        }
    }
}

extension RequestError {
    /// The fault of an object without a field that its form needs.
    static func missing<Value: FieldValue>(
        _ name: String,
        _ type: Value.Type,
        _ rule: FieldRule = .any
    ) -> RequestError {
        RequestError(FieldFault(.missing(right: Value.right(rule)), path: [name]))
    }
}

extension Optional where Wrapped: FieldValue {
    /// The value of a field that the form of its object needs.
    func needed(_ name: String, _ rule: FieldRule = .any) throws(RequestError) -> Wrapped {
        guard let self else { throw RequestError.missing(name, Wrapped.self, rule) }
        return self
    }
}
