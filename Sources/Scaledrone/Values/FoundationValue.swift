import Foundation
import RoomClient

/// A JSON value as `JSONSerialization` has it: dictionaries, arrays, strings, numbers, `NSNull`.
struct FoundationValue: Sendable {
    /// `Any` is not `Sendable`, this one may be shared all the same: read without `.mutableContainers` it is a tree that
    /// nothing changes any more.
    nonisolated(unsafe) let any: Any

    /// - Throws: for what JSON allows and Foundation cannot hold, such as `1e400` and lone surrogates.
    init(_ json: JSON) throws {
        self.any = try JSONSerialization.jsonObject(with: Data(json.bytes), options: .fragmentsAllowed)
    }
}

extension JSON {
    /// Takes every value that `JSONSerialization` can write: dictionaries with keys that are strings, arrays, strings, numbers, booleans,
    /// `NSNull` and `nil`.
    init(foundation value: Any) throws(ClientError) {
        // In an array: that is what can be checked beforehand, and what is not valid may trap. `nil` may stand in one, too.
        let array = [value]
        guard JSONSerialization.isValidJSONObject(array) else {
            throw ClientError(code: .encodingFailed, text: "the \(type(of: value)) cannot be written as JSON")
        }
        do {
            let data = try JSONSerialization.data(withJSONObject: array, options: .withoutEscapingSlashes)
            self = try JSON(String(decoding: data.dropFirst().dropLast(), as: UTF8.self))
        } catch let error as RoomClientError {
            throw ClientError(error)
        } catch {
            throw ClientError(
                code: .encodingFailed,
                text: "the \(type(of: value)) cannot be written as JSON",
                cause: error
            )
        }
    }

    /// The value for Foundation; `nil` where Foundation cannot hold it.
    var foundationValue: Any? {
        try? FoundationValue(self).any
    }
}
