/// Finds the name that somebody may have meant.
package enum NearestName {
    /// `nil` where no candidate is near: a wrong guess helps nobody.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let limit = max(2, name.utf8.count / 3)
        let ranked = candidates.map { (candidate: $0, distance: self.distance(name, $0)) }
        let nearest = ranked.min { $0.distance < $1.distance }
        return nearest.flatMap { $0.distance <= limit ? $0.candidate : nil }
    }

    /// Levenshtein's distance: how many bytes are to be put in, taken out or changed.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (line, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let changed = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
