/// What of colours and type a terminal can show.
enum Palette: Equatable, Sendable {
    /// No terminal, or one that knows nothing: no escape codes at all.
    case plain
    /// Bold and dim, but no colours, because somebody has asked to be spared (no-color.org).
    case monochrome
    case ansi16
    case ansi256
    case trueColor

    /// - Parameter isTerminal: whether what is written goes to one.
    init(isTerminal: Bool, environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        let color = environment["COLORTERM"]?.lowercased()
        if !isTerminal || terminal.isEmpty || terminal == "dumb" {
            self = .plain
        } else if !(environment["NO_COLOR"] ?? "").isEmpty || terminal.hasPrefix("vt") {
            self = .monochrome
        } else if color == "truecolor" || color == "24bit" || terminal.hasSuffix("-direct") {
            self = .trueColor
        } else {
            self = terminal.contains("256") ? .ansi256 : .ansi16
        }
    }
}
