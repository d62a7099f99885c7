import Foundation
import NIOCore
import RoomModel

/// Reads the JSON file of `--config`: one object whose keys are the names of flags.
enum ConfigurationFile {
    private static let nestingLimit = 16

    /// - Returns: what is given for each key, and where the key stands.
    static func read(
        _ path: String
    ) throws(ConfigurationError) -> (texts: [String: [String]], places: [String: String]) {
        let origin = ConfigurationOrigin.file(path: path)
        let data = try self.data(path)
        let files = FilePlaces(ByteBuffer(bytes: data))
        if let error = files.syntaxError(nestingLimit: self.nestingLimit) {
            throw .unreadableFile(path: path, reason: "it is not valid JSON: \(error)")
        }
        let places = files.keys()
        var texts: [String: [String]] = [:]
        for (key, value) in try self.object(data, path).sorted(by: { $0.key < $1.key }) {
            let place = places[key]
            guard let option = OptionTable.option(key) else {
                let nearest = NearestName.of(key, among: OptionTable.options.map(\.key))
                let name = "\"\(key)\"" + (place.map { " at \($0)" } ?? "")
                throw .unknownName(name, nearest: nearest.map { "\"\($0)\"" }, origin: origin)
            }
            guard let given = value.texts(for: option) else {
                throw .badValue(
                    name: origin.name(of: option, at: place),
                    value: value.description,
                    allowed: option.arity == .many ? "a list of strings, each \(option.allowed)" : option.allowed,
                    origin: origin
                )
            }
            texts[key] = given
        }
        return (texts, places)
    }

    private static func data(_ path: String) throws(ConfigurationError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .unreadableFile(path: path, reason: error.localizedDescription)
        }
    }

    private static func object(_ data: Data, _ path: String) throws(ConfigurationError) -> [String: FileValue] {
        do {
            return try JSONDecoder().decode([String: FileValue].self, from: data)
        } catch {
            throw .unreadableFile(path: path, reason: "it has to be one JSON object")
        }
    }
}

/// A value behind a key of the file.
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
