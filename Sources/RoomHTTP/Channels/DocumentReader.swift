import NIOHTTP1
import RoomJSON
import RoomModel

/// Reads the fields of one JSON object of a body. An error names the wrong field, and tells what would be right; an
/// unknown field is refused with the name that is nearest.
struct DocumentReader {
    /// Where the object stands in the body: empty, or as `limits.`.
    private let path: String
    private let object: JSONTree

    /// - Parameters:
    ///   - known: the fields that there are.
    ///   - what: the object as the error names it.
    init(_ tree: JSONTree, at path: String = "", _ what: String = "the body", known: [String]) throws(Problem) {
        guard case .object(let fields) = tree else {
            throw Problem.invalid("\(what) is \(tree.shown): give an object")
        }
        for field in fields where !known.contains(field.name) {
            let nearest = NearestName.of(field.name, among: known).map { "; did you mean \($0)?" }
            throw Problem(
                .badRequest,
                .unknownField,
                "there is no field \(path)\(field.name.shown)\(nearest ?? "; there are \(known.joined(separator: ", "))")"
            )
        }
        self.path = path
        self.object = tree
    }

    /// `nil` where the field is absent or null.
    private func value(_ name: String) -> JSONTree? {
        let value = self.object[name]
        return value == .null ? nil : value
    }

    func has(_ name: String) -> Bool { self.object[name] != nil }

    func integer(_ name: String, in bounds: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = self.value(name) else { return nil }
        guard case .number(let digits) = value, let number = Self.integer(digits), bounds.contains(number) else {
            throw self.fault(name, "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    /// A time in seconds, of which milliseconds count.
    func seconds(_ name: String, in bounds: ClosedRange<Duration>) throws(Problem) -> Duration? {
        guard let value = self.value(name) else { return nil }
        guard case .number(let digits) = value, let seconds = Double(digits), abs(seconds) < 1e12 else {
            throw self.fault(name, Self.seconds(bounds))
        }
        let time = Duration.milliseconds(Int64((seconds * 1_000).rounded()))
        guard bounds.contains(time) else { throw self.fault(name, Self.seconds(bounds)) }
        return time
    }

    /// - Parameter what: completes "give …".
    func text(_ name: String, _ what: String, where isRight: (String) -> Bool) throws(Problem) -> String? {
        guard let value = self.value(name) else { return nil }
        guard case .string(let text) = value, isRight(text) else { throw self.fault(name, what) }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = self.value(name) else { return nil }
        guard case .bool(let flag) = value else { throw self.fault(name, "true or false") }
        return flag
    }

    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        of type: Choice.Type = Choice.self
    ) throws(Problem) -> Choice? {
        guard let value = self.value(name) else { return nil }
        guard case .string(let word) = value, let choice = Choice(rawValue: word) else {
            throw self.fault(name, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    func array(_ name: String, atMost limit: Int) throws(Problem) -> [JSONTree]? {
        guard let value = self.value(name) else { return nil }
        guard case .array(let elements) = value, elements.count <= limit else {
            throw self.fault(name, "an array of at most \(limit) elements")
        }
        return elements
    }

    /// The reader of an object within this one.
    func object(_ name: String, known: [String]) throws(Problem) -> DocumentReader? {
        guard let value = self.value(name) else { return nil }
        return try DocumentReader(value, at: "\(self.path)\(name).", "\(self.path)\(name)", known: known)
    }

    func missing(_ name: String) -> Problem {
        Problem.missing("\(self.path)\(name)")
    }

    func fault(_ name: String, _ allowed: String) -> Problem {
        let shown = (self.object[name] ?? .null).shown
        return Problem.invalid("\(self.path)\(name) is \(shown): give \(allowed)")
    }

    /// `5` and, as JSON Schema has it, `5.0` and `5e0`.
    private static func integer(_ digits: String) -> Int? {
        Int(digits) ?? Double(digits).flatMap { Int(exactly: $0) }
    }

    private static func seconds(_ bounds: ClosedRange<Duration>) -> String {
        "seconds from \(bounds.lowerBound.components.seconds) to \(bounds.upperBound.components.seconds)"
    }
}

extension String {
    /// C0, DEL or C1.
    var hasControlCharacter: Bool {
        self.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
