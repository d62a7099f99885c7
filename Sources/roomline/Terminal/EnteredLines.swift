/// The lines that were entered before, and where the up arrow has got to among them.
struct EnteredLines: Sendable {
    private static let kept = 200

    private var lines: [String] = []
    /// Into `lines`; `nil` while a new line is being typed.
    private var place: Int?
    /// The new line, from before the first up arrow.
    private var draft = ""

    /// The next older one; `nil` where there is none.
    mutating func older(than text: String) -> String? {
        let place = (self.place ?? self.lines.count) - 1
        guard self.lines.indices.contains(place) else { return nil }
        if self.place == nil { self.draft = text }
        self.place = place
        return self.lines[place]
    }

    /// The next newer one, in the end what was being typed; `nil` where there is nothing newer.
    mutating func newer() -> String? {
        guard let place = self.place else { return nil }
        guard self.lines.indices.contains(place + 1) else {
            self.place = nil
            return self.draft
        }
        self.place = place + 1
        return self.lines[place + 1]
    }

    mutating func add(_ line: String) {
        self.place = nil
        self.draft = ""
        guard !line.allSatisfy({ $0 == " " }), line != self.lines.last else { return }
        self.lines.append(line)
        if self.lines.count > Self.kept { self.lines.removeFirst() }
    }
}
