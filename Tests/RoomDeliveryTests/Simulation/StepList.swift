/// Which steps of a simulated run are done, such as `0-12,15`.
struct StepList: CustomStringConvertible, Equatable, Sendable {
    var numbers: [Int]

    init(_ numbers: some Sequence<Int>) {
        self.numbers = Array(numbers)
    }

    init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: "-").compactMap { Int($0) }
            guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
            numbers += first...last
        }
        self.numbers = numbers
    }

    var description: String {
        var ranges: [ClosedRange<Int>] = []
        for number in self.numbers {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    /// Leaves out what is not needed for a failure: halves first, then ever smaller pieces (delta debugging).
    ///
    /// - Parameters:
    ///   - tries: how many lists are tried at most.
    ///   - fails: whether the run with these steps still fails.
    func shrunk(tries: Int, _ fails: (StepList) -> Bool) -> StepList {
        var left = self.numbers
        var (tries, size) = (tries, max(1, left.count / 2))
        while size >= 1, tries > 0 {
            var (start, hasShrunk) = (0, false)
            while start < left.count, tries > 0, left.count > 1 {
                var candidate = left
                candidate.removeSubrange(start..<min(start + size, left.count))
                tries -= 1
                if fails(StepList(candidate)) {
                    (left, hasShrunk) = (candidate, true)
                } else {
                    start += size
                }
            }
            if size > 1 { size /= 2 } else if !hasShrunk { break }
        }
        return StepList(left)
    }
}
