import Foundation
import NIOHTTP1
import RoomJSON
import RoomModel

/// The parameters of a query, each given once and each one that there is.
struct AdminQuery: Equatable, Sendable {
    static let pageLimits = 1...1_000
    private static let pageLimit = 100

    private let values: [String: String]

    /// - Parameters:
    ///   - text: what stands behind the `?`.
    ///   - known: the parameters that there are here.
    init(_ text: String, known: [String]) throws(Problem) {
        var values: [String: String] = [:]
        for part in text.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = sides[0].formDecoded, let value = sides.count == 2 ? sides[1].formDecoded : "" else {
                throw .invalid("the query is not percent-encoded UTF-8")
            }
            guard known.contains(name) else {
                let hint =
                    NearestName.of(name, among: known).map { "did you mean \($0)?" }
                    ?? (known.isEmpty ? "this path has none" : "there are \(known.joined(separator: ", "))")
                throw Problem(.badRequest, .unknownField, "there is no parameter \(name.shown); \(hint)")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem(.badRequest, Code.duplicateField, "the parameter \(name) is given twice: give it once")
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { self.values[name] }

    func required(_ name: String) throws(Problem) -> String {
        guard let value = self.values[name] else {
            throw Problem(.badRequest, Code.missingField, "the parameter \(name) is missing")
        }
        return value
    }

    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        of type: Choice.Type = Choice.self
    ) throws(Problem) -> Choice? {
        guard let word = self.values[name] else { return nil }
        guard let choice = Choice(rawValue: word) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("\(name) is \(word.shown): give one of \(words)")
        }
        return choice
    }

    /// - Parameter lengths: in bytes.
    func text(_ name: String, of lengths: ClosedRange<Int>) throws(Problem) -> String? {
        guard let value = self.values[name] else { return nil }
        guard lengths.contains(value.utf8.count), !value.hasControlCharacter else {
            throw .invalid(
                "\(name) is \(value.shown): give \(lengths.lowerBound) to \(lengths.upperBound) bytes without control characters"
            )
        }
        return value
    }

    func number<Number: FixedWidthInteger>(_ name: String, in bounds: ClosedRange<Number>) throws(Problem) -> Number? {
        guard let value = self.values[name] else { return nil }
        guard value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Number(value), bounds.contains(number) else {
            throw .invalid(
                "\(name) is \(value.shown): give a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
            )
        }
        return number
    }

    /// How many elements a page may have.
    var limit: Int {
        get throws(Problem) { try self.number("limit", in: Self.pageLimits) ?? Self.pageLimit }
    }

    /// The beginning of a page, by what `next` said.
    func cursor(_ name: String) throws(Problem) -> String? {
        guard let value = self.values[name] else { return nil }
        guard let place = PageCursor.place(value) else {
            throw .invalid("\(name) is \(value.shown): give the value of next of another page, unchanged")
        }
        return place
    }
}

extension Substring {
    /// As forms encode it: a plus is a blank.
    fileprivate var formDecoded: String? { try? PercentEncoding.decode(self, plusIsSpace: true) }
}

/// The beginning of the next page of a list, as a text that is nobody's business but ours.
enum PageCursor {
    static func text(_ place: String) -> String {
        Data(place.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `nil` where the text is none that we have given.
    static func place(_ text: String) -> String? {
        if text.isEmpty { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { return nil }
        guard let place = String(data: data, encoding: .utf8), self.text(place) == text else { return nil }
        return place
    }
}
