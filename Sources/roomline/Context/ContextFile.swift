import RoomModel

/// The contexts of a user, and the one that is in use.
struct ContextFile: Codable, Equatable, Sendable {
    private static let longestName = 64

    var current: String?
    var contexts: [String: Context] = [:]

    /// - Throws: where there is none of this name; it suggests another.
    func context(_ name: String) throws(CommandFailure) -> Context {
        if let context = self.contexts[name] { return context }
        let nearest = NearestName.of(name, among: self.contexts.keys.sorted())
        let hint = nearest.map { "did you mean \($0)?" } ?? "\"roomline context list\" lists the contexts"
        throw CommandFailure(code: .usage, text: "there is no context \(name); \(hint)")
    }

    static func isName(_ text: String) -> Bool {
        (1...self.longestName).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
                default: false
                }
            }
    }
}
