import Foundation
import RoomWire

/// A schema of a frame, as far as a description can say the same: the names of the fields, which of them have to be there, their kinds
/// and their bounds.
struct WireSchema {
    typealias Object = [String: Any]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Schemas/wire")

    private let file: String
    private let schema: Object

    /// All frames that there are, as `client-history`.
    static func names() throws -> [String] {
        let suffix = ".schema.json"
        return try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(suffix) }
            .map { String($0.dropLast(suffix.count)) }.filter { $0.contains("-") }
    }

    init(_ name: String) throws {
        try self.init(file: "\(name).schema.json")
    }

    private init(file: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        self.init(file: file, schema: try JSONSerialization.jsonObject(with: data) as? Object ?? [:])
    }

    private init(file: String, schema: Object) {
        (self.file, self.schema) = (file, schema)
    }

    /// Where the description says something else than the schema, which is empty where they agree.
    ///
    /// - Parameter envelope: fields of the schema that belong to no description.
    func differences(from fields: [ListedField], envelope: Set<String> = []) throws -> [String] {
        let properties = try self.properties().filter { !envelope.contains($0.key) }
        let required = Set(self.schema["required"] as? [String] ?? []).subtracting(envelope)
        let named = Set(fields.map(\.name))
        return named.symmetricDifference(properties.keys).map { "only one of them has \($0)" }
            + Set(fields.filter(\.isRequired).map(\.name)).symmetricDifference(required).map { "\($0) is required" }
            + (try fields.flatMap { field in
                try Self.differences(field.kind, field.rule, properties[field.name] ?? []).map {
                    "\(field.name): \($0)"
                }
            })
    }

    /// The schemas of each field in all forms that the object can have; those of the stamp and of errors aside.
    private func properties() throws -> [String: [WireSchema]] {
        var properties = (self.schema["properties"] as? Object ?? [:]).compactMapValues { property in
            (property as? Object).map { [WireSchema(file: self.file, schema: $0)] }
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            for case let form as Object in self.schema[key] as? [Any] ?? [] {
                if (form["$ref"] as? String)?.hasSuffix("Stamp") == true { continue }
                if (form["required"] as? [String])?.contains("error") == true, self.file != "common.schema.json" {
                    continue
                }
                properties.merge(try WireSchema(file: self.file, schema: form).resolved().properties()) { $0 + $1 }
            }
        }
        return properties
    }

    private func resolved() throws -> WireSchema {
        guard let reference = self.schema["$ref"] as? String else { return self }
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? try WireSchema(file: self.file) : try WireSchema(file: String(parts[0]))
        var schema = target.schema
        for step in (parts.count > 1 ? parts[1] : "").split(separator: "/") {
            schema = schema[String(step)] as? Object ?? [:]
        }
        return try WireSchema(file: target.file, schema: schema).resolved()
    }

    /// The forms that a value can have, `null` aside.
    private func forms() throws -> [WireSchema] {
        let schema = try self.resolved()
        let choices = schema.schema["anyOf"] as? [Any] ?? schema.schema["oneOf"] as? [Any] ?? []
        guard choices.isEmpty || schema.schema["type"] != nil else {
            return try choices.flatMap { try WireSchema(file: schema.file, schema: $0 as? Object ?? [:]).forms() }
        }
        return schema.types == ["null"] ? [] : [schema]
    }

    private var types: [String] {
        let types = (self.schema["type"] as? [String]) ?? (self.schema["type"] as? String).map { [$0] } ?? []
        return types.count > 1 ? types.filter { $0 != "null" } : types
    }

    private var words: [String] {
        self.schema["enum"] as? [String] ?? (self.schema["const"] as? String).map { [$0] } ?? []
    }

    private static func differences(_ kind: FieldKind, _ rule: FieldRule, _ schemas: [WireSchema]) throws -> [String] {
        let forms = try schemas.flatMap { try $0.forms() }
        let isRight = forms.map { $0.hasKind(kind) }
        guard !isRight.isEmpty, isRight.allSatisfy(\.self) else { return ["is no \(kind)"] }
        switch kind {
        case .word(let words): return Set(words) == Set(forms.flatMap(\.words)) ? [] : ["has other words than \(words)"]
        case .object(let fields) where !fields.isEmpty: return try forms.flatMap { try $0.differences(from: fields) }
        case .array(.object(let fields)) where !fields.isEmpty:
            let items = try forms.flatMap {
                try WireSchema(file: $0.file, schema: $0.schema["items"] as? Object ?? [:]).forms()
            }
            let known = try Set(items.flatMap { try $0.properties().keys })
            return known.symmetricDifference(fields.map(\.name)).map { "only one of them has \($0)" }
        default: return forms.contains { $0.hasBounds(rule, kind) } ? [] : ["has not the bounds \(rule)"]
        }
    }

    private func hasKind(_ kind: FieldKind) -> Bool {
        switch kind {
        case .value: self.types.isEmpty && self.words.isEmpty
        case .text, .word: self.types == ["string"] || !self.words.isEmpty
        case .flag: self.types == ["boolean"] || self.schema["const"] is Bool
        case .integer: self.types == ["integer"] || self.schema["const"] is Int
        case .number: self.types == ["number"]
        case .object: self.types == ["object"]
        case .array: self.types == ["array"]
        }
    }

    private func hasBounds(_ rule: FieldRule, _ kind: FieldKind) -> Bool {
        let (least, most) = kind == .integer ? ("minimum", "maximum") : ("minLength", "maxLength")
        return switch rule {
        case .atLeast(let bound): self.schema[least] as? Int == bound
        case .within(let bounds):
            self.schema[least] as? Int == bounds.lowerBound && self.schema[most] as? Int == bounds.upperBound
        default: true
        }
    }
}
