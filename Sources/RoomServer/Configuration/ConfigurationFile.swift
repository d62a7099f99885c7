import Foundation
import RoomModel

/// Reads the JSON file of `--config`: one object whose keys are the names of flags.
enum ConfigurationFile {
    /// - Returns: what is given for each key.
    static func read(_ path: String) throws(ConfigurationError) -> [String: [String]] {
        let origin = ConfigurationOrigin.file(path: path)
        var texts: [String: [String]] = [:]
        for (key, value) in try self.object(path).sorted(by: { $0.key < $1.key }) {
            guard let option = OptionTable.option(key) else {
                let nearest = NearestName.of(key, among: OptionTable.options.map(\.key))
                throw .unknownName("\"\(key)\"", nearest: nearest.map { "\"\($0)\"" }, origin: origin)
            }
            guard let given = value.texts(for: option) else {
                throw .badValue(
                    name: origin.name(of: option),
                    value: value.description,
                    allowed: option.arity == .many ? "a list of strings, each \(option.allowed)" : option.allowed,
                    origin: origin
                )
            }
            texts[key] = given
        }
        return texts
    }

    private static func object(_ path: String) throws(ConfigurationError) -> [String: FileValue] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .unreadableFile(path: path, reason: error.localizedDescription)
        }
        do {
            return try JSONDecoder().decode([String: FileValue].self, from: data)
        } catch DecodingError.dataCorrupted {
            throw .unreadableFile(path: path, reason: "it is not valid JSON\(self.syntaxError(in: data))")
        } catch {
            throw .unreadableFile(path: path, reason: "it has to be one JSON object")
        }
    }

    /// The decoder keeps to itself what it stumbled over; the older parser tells.
    private static func syntaxError(in data: Data) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return ""
        } catch {
            let place = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            return place.map { ". \($0)" } ?? ""
        }
    }
}

/// What may stand behind a key of the file.
private enum FileValue: Decodable, CustomStringConvertible {
    case text(String)
    /// `true` or `false`, without quotes.
    case truth(Bool)
    case list([String])
    case unsupported

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each attempt fails where the value is of another type; the last one says so.
        if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? container.decode(Int.self) {
            self = .text("\(number)")
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([String].self) {
            self = .list(list)
        } else {
            self = .unsupported
        }
    }

    /// `nil` where `option` does not take values of this type.
    func texts(for option: ConfigurationOption) -> [String]? {
        switch (self, option.arity) {
        case (.text(let text), .one), (.text(let text), .toggle): [text]
        case (.truth(let truth), .toggle): ["\(truth)"]
        case (.list(let list), .many): list
        default: nil
        }
    }

    var description: String {
        switch self {
        case .text(let text): text
        case .truth(let truth): "\(truth)"
        case .list(let list): list.joined(separator: "; ")
        case .unsupported: "null, a fraction, an object or a mixed list"
        }
    }
}
