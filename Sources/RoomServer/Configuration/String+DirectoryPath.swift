extension String {
    /// The path of a directory without what says nothing: `a/`, `a/.` and `a//` are `a`, so that a name can be put behind it or
    /// beside it. `..` stays, because a link may stand before it.
    package var directoryPath: String {
        guard !self.isEmpty else { return self }
        let parts = self.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return self.hasPrefix("/") ? "/" + parts : parts.isEmpty ? "." : parts
    }
}
