/// A word of the protocol that is looked up by its bytes: the name of a field, or the type of a frame. The raw values count from 0:
/// they are the places of the words in the table, and those of fields in a scan.
package protocol WireWord: CaseIterable, RawRepresentable<Int>, Sendable {
    var name: StaticString { get }
    static var table: WordTable { get }
}

extension WireWord {
    /// The word that these bytes spell; `nil` if there is none.
    init?(name: UnsafeRawBufferPointer) {
        guard let index = Self.table[name] else { return nil }
        self.init(rawValue: index)
    }

    static var names: [String] { Self.allCases.map { "\($0.name)" } }
}

extension FieldScan {
    subscript(field: some WireWord) -> Range<Int>? { self[field.rawValue] }

    func isRepeated(_ field: some WireWord) -> Bool { self.isRepeated(field.rawValue) }
}
