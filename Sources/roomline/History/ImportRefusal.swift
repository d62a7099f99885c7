/// What the broker says of a part of a file, said of the file.
struct ImportRefusal {
    private static let prefix = "line "

    let file: String
    /// How many lines of it come before the part.
    let linesBefore: Int

    /// - Parameter detail: may begin with `line N:`, counted from the beginning of the part.
    func text(_ detail: String) -> String {
        guard detail.hasPrefix(Self.prefix), let colon = detail.firstIndex(of: ":"),
            let line = Int(detail.dropFirst(Self.prefix.count).prefix { $0 != ":" })
        else { return detail }
        return "\(self.file), line \(self.linesBefore + line)\(detail[colon...])"
    }
}
