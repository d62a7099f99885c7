/// A name of the protocol that is looked up by its bytes: that of a field or of a frame.
protocol WireWord {
    init?(name: UnsafeRawBufferPointer)
}

/// The fields of one kind of object that we know; all others are ignored. The raw values count from 0, and a
/// ``FrameScan`` has a bit for each.
protocol WireField: WireWord, RawRepresentable<Int> {
    static var count: Int { get }
}

/// Fields that errors name.
protocol NamedField: WireField {
    var name: StaticString { get }
}

extension WireField {
    init?(_ key: JSONKey, in bytes: UnsafeRawBufferPointer) {
        guard key.isEscaped else {
            self.init(name: bytes.slice(key.range))
            return
        }
        guard var text = JSONString.text(bytes.slice(key.range)),
            let field = text.withUTF8({ Self(name: UnsafeRawBufferPointer($0)) })
        else { return nil }
        self = field
    }
}
