extension JSON: Codable {
    /// Decodes the value as a part of another value. The result is rebuilt from its parts: keys may change their order, and numbers
    /// that do not fit into `Double` or 64 bits may change their digits. A message or member data as a whole stays unchanged.
    public init(from decoder: any Decoder) throws {
        try self.init(encoding: JSONParts(from: decoder))
    }

    /// Encodes the value as a part of another value, rebuilt from its parts as ``init(from:)`` describes.
    public func encode(to encoder: any Encoder) throws {
        try self.decode(as: JSONParts.self).encode(to: encoder)
    }
}

/// A JSON value taken apart.
private indirect enum JSONParts: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONParts])
    case object([String: JSONParts])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // A decoder tells the kind of a value only by failing to read it as another.
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let unsigned = try? value.decode(UInt64.self) {
            self = .unsigned(unsigned)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONParts].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONParts].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .integer(let integer): try value.encode(integer)
        case .unsigned(let unsigned): try value.encode(unsigned)
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }
}
