import Foundation
import NIOCore
import RoomModel

/// Reads the JSON file of `--config`: one object whose keys are the names of flags.
enum ConfigurationFile {
    private static let nestingLimit = 16
    /// Bytes.
    private static let longest = 1 << 20

    /// - Returns: what is given for each key, and where the key stands.
    static func read(
        _ path: String
    ) throws(ConfigurationError) -> (texts: [String: [String]], places: [String: String]) {
        let origin = ConfigurationOrigin.file(path: path)
        let data = try self.data(path).withoutByteOrderMark
        let files = FilePlaces(text: ByteBuffer(bytes: data))
        if let error = files.syntaxError(nestingLimit: self.nestingLimit) {
            throw .unreadableFile(path: path, reason: "it is not valid JSON: \(error)")
        }
        let object = try self.object(data, path, files)
        let places = try self.places(files, path)
        var texts: [String: [String]] = [:]
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
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
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw .unreadableFile(path: path, reason: "it does not exist")
        }
        guard !isDirectory.boolValue else { throw .unreadableFile(path: path, reason: "it is a directory") }
        guard access(path, R_OK) == 0 else {
            throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
        }
        // Also what has no length that is known before, such as a pipe.
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: self.longest + 1) ?? Data()
        else { throw .unreadableFile(path: path, reason: "it cannot be read") }
        guard !data.isEmpty else { throw .unreadableFile(path: path, reason: "it is empty") }
        guard data.count <= self.longest else {
            throw .unreadableFile(path: path, reason: "it has more than \(UnitScale.bytes.format(self.longest))")
        }
        return data
    }

    private static func object(
        _ data: Data,
        _ path: String,
        _ files: FilePlaces
    ) throws(ConfigurationError) -> [String: FileValue] {
        do {
            return try JSONDecoder().decode([String: FileValue].self, from: data)
        } catch {
            throw .unreadableFile(path: path, reason: "it has to be one JSON object, at \(files.beginning)")
        }
    }

    private static func places(_ files: FilePlaces, _ path: String) throws(ConfigurationError) -> [String: String] {
        var places: [String: String] = [:]
        for (key, place) in files.keys() {
            if let first = places.updateValue(place, forKey: key) {
                throw .unreadableFile(path: path, reason: "it has \"\(key)\" twice, at \(first) and at \(place)")
            }
        }
        return places
    }
}

/// A value behind a key of the file.
private enum FileValue: Decodable, CustomStringConvertible {
    case text(String)
    /// `true` or `false`, without quotes.
    case truth(Bool)
    case list([String])
    /// What it is.
    case unsupported(String)

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
        } else if container.decodeNil() {
            self = .unsupported("null")
        } else if (try? container.decode(Double.self)) != nil {
            self = .unsupported("a fraction")
        } else if (try? container.decode([String: FileValue].self)) != nil {
            self = .unsupported("an object")
        } else {
            self = .unsupported("a list of something else than strings")
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
        case .text(let text): "\"\(text)\""
        case .truth(let truth): "\(truth)"
        case .list(let list): "\"\(list.joined(separator: "; "))\""
        case .unsupported(let kind): kind
        }
    }
}
