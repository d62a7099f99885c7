/// One press of a key, as far as the line editor knows it.
enum Key: Equatable, Sendable {
    case text(Unicode.Scalar)
    /// What the terminal says was pasted and not typed.
    case pasted(String)
    /// Ctrl with a letter, in lower case.
    case control(Character)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end
    case wordLeft, wordRight, deleteWordLeft, deleteWordRight
}
