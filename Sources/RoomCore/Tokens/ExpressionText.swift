/// The text of a regular expression, compared byte by byte. (Strings are equal to Swift where they look alike; to the
/// engine, and to rooms, é in one character and in two are not.)
struct ExpressionText: Hashable, Sendable {
    let text: String

    static func == (left: ExpressionText, right: ExpressionText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
