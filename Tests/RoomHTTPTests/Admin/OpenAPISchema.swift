import Foundation
import RoomWire

/// A schema of `Schemas/admin.openapi.yaml`, as far as a description can say the same: the names of the fields, which of them have to
/// be there, and their kinds.
struct OpenAPISchema {
    typealias Object = [String: Any]

    /// All schemas of the page by their names.
    private let all: Object
    private let schema: Object

    /// - Parameter text: the whole page.
    static func named(in text: String) throws -> [String: OpenAPISchema] {
        let start = text.firstRange(of: "\n  schemas:\n")?.upperBound ?? text.endIndex
        var reader = BlockReader(text[start...])
        let all = reader.read(from: 4) as? Object ?? [:]
        return all.mapValues { OpenAPISchema(all: all, schema: $0 as? Object ?? [:]) }
    }

    /// Where the description says something else than the schema.
    func differences(from fields: [ListedField]) -> [String] {
        let (properties, required) = (self.properties, self.required)
        return Set(fields.map(\.name)).symmetricDifference(properties.keys).map { "only one of them has \($0)" }
            + Set(fields.filter(\.isRequired).map(\.name)).symmetricDifference(required).map { "\($0) is required" }
            + fields.flatMap { field in
                (properties[field.name]?.differences(from: field.kind) ?? []).map { "\(field.name): \($0)" }
            }
    }

    private func differences(from kind: FieldKind) -> [String] {
        let forms = self.forms
        switch kind {
        case .value: return []
        case .text: return forms.allSatisfy { $0.isText } ? [] : ["is no text"]
        case .word(let words):
            let others = forms.compactMap { $0.schema["enum"] as? [String] }.flatMap(\.self)
            return Set(words) == Set(others) ? [] : ["has other words than \(words)"]
        case .flag:
            return forms.allSatisfy { $0.types == ["boolean"] || $0.schema["const"] is Bool } ? [] : ["is no flag"]
        case .integer:
            return forms.allSatisfy { $0.types == ["integer"] || $0.schema["const"] is Int } ? [] : ["is no integer"]
        case .number: return forms.allSatisfy { $0.types == ["number"] } ? [] : ["is no number"]
        case .object(let fields):
            guard forms.allSatisfy({ $0.types == ["object"] }) else { return ["is no object"] }
            return fields.isEmpty ? [] : forms.flatMap { $0.differences(from: fields) }
        case .array(let element):
            guard forms.allSatisfy({ $0.types == ["array"] }) else { return ["is no array"] }
            return forms.flatMap { $0.of($0.schema["items"]).differences(from: element) }
        }
    }

    private var properties: [String: OpenAPISchema] {
        (self.schema["properties"] as? Object ?? [:]).mapValues { self.of($0) }
    }

    private var required: Set<String> { Set(self.schema["required"] as? [String] ?? []) }

    private var types: [String] {
        let types = (self.schema["type"] as? [String]) ?? (self.schema["type"] as? String).map { [$0] } ?? []
        return types.filter { $0 != "null" }
    }

    private var isText: Bool {
        self.types == ["string"] || self.schema["enum"] != nil || self.schema["const"] is String
    }

    /// The forms that a value can have, `null` aside.
    private var forms: [OpenAPISchema] {
        if let reference = self.schema["$ref"] as? String {
            return self.of(self.all[String(reference.split(separator: "/").last ?? "")]).forms
        }
        guard self.schema["type"] == nil, let choices = self.schema["oneOf"] as? [Any] else {
            return self.schema["type"] as? String == "null" ? [] : [self]
        }
        return choices.flatMap { self.of($0).forms }
    }

    private func of(_ schema: Any?) -> OpenAPISchema {
        OpenAPISchema(all: self.all, schema: schema as? Object ?? [:])
    }
}

/// Reads the part of YAML that the page is written in: blocks, flows on one line, and texts of several lines, which are left out.
private struct BlockReader {
    private var lines: ArraySlice<Substring>

    init(_ text: Substring) {
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    }

    private static func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

    /// The block whose lines are indented so far.
    mutating func read(from depth: Int) -> Any {
        var object: [String: Any] = [:]
        var array: [Any] = []
        while let line = self.lines.first, Self.indentation(line) == depth {
            let content = line.dropFirst(depth)
            if content.hasPrefix("- ") {
                array.append(self.element(content.dropFirst(2), depth))
            } else if let (key, rest) = Self.entry(content) {
                self.lines.removeFirst()
                object[key] = self.value(rest, depth)
            } else {
                self.lines.removeFirst()
            }
        }
        return array.isEmpty ? object : array
    }

    /// An element may be a block of its own, which begins behind the dash.
    private mutating func element(_ content: Substring, _ depth: Int) -> Any {
        guard !content.hasPrefix("{"), Self.entry(content) != nil else {
            self.lines.removeFirst()
            var flow = FlowReader(content)
            return flow.read()
        }
        self.lines[self.lines.startIndex] = Substring(String(repeating: " ", count: depth + 2) + content)
        return self.read(from: depth + 2)
    }

    private mutating func value(_ rest: Substring, _ depth: Int) -> Any {
        let isText = rest == "|" || rest == ">-"
        if rest.isEmpty || isText {
            guard let next = self.lines.first, Self.indentation(next) > depth else { return "" }
            if !isText { return self.read(from: Self.indentation(next)) }
            while let line = self.lines.first, Self.indentation(line) > depth { self.lines.removeFirst() }
            return ""
        }
        var flow = FlowReader(rest)
        return flow.read()
    }

    private static func entry(_ content: Substring) -> (key: String, rest: Substring)? {
        guard let match = content.firstMatch(of: /^"?([A-Za-z0-9_$\-]+)"?:(?: +(.*))?$/) else { return nil }
        return (String(match.1), match.2 ?? "")
    }
}

/// A value on one line.
private struct FlowReader {
    private var rest: Substring

    init(_ text: Substring) { self.rest = text }

    mutating func read(endingAt ends: Set<Character> = []) -> Any {
        self.skipBlanks()
        switch self.rest.first {
        case "{": return self.object()
        case "[": return self.array()
        case "\"", "'": return self.quoted()
        default:
            let text = self.rest.prefix { !ends.contains($0) }
            self.rest = self.rest.dropFirst(text.count)
            let word = text.trimmingCharacters(in: .whitespaces)
            if let number = Int(word) { return number }
            return word == "true" || word == "false" ? word == "true" : word as Any
        }
    }

    private mutating func skipBlanks() { self.rest = self.rest.drop { $0 == " " || $0 == "," } }

    private mutating func object() -> Any {
        self.rest.removeFirst()
        var object: [String: Any] = [:]
        while true {
            self.skipBlanks()
            guard let first = self.rest.first, first != "}" else { break }
            let key = self.rest.prefix { $0 != ":" }
            self.rest = self.rest.dropFirst(key.count + 1)
            object[String(key).replacing("\"", with: "")] = self.read(endingAt: [",", "}"])
        }
        self.rest = self.rest.dropFirst()
        return object
    }

    private mutating func array() -> Any {
        self.rest.removeFirst()
        var array: [Any] = []
        while true {
            self.skipBlanks()
            guard let first = self.rest.first, first != "]" else { break }
            array.append(self.read(endingAt: [",", "]"]))
        }
        self.rest = self.rest.dropFirst()
        // words of an enum, types
        let words = array.compactMap { $0 as? String }
        return words.count == array.count ? words : array
    }

    private mutating func quoted() -> Any {
        let quote = self.rest.removeFirst()
        let text = self.rest.prefix { $0 != quote }
        self.rest = self.rest.dropFirst(text.count + 1)
        return String(text)
    }
}
