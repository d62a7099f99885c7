import RoomModel

/// How far a command is with something that takes long, and when that is worth saying. Pure: its owner says what time it is,
/// and writes what it answers.
struct Progress: Equatable, Sendable {
    enum Form: Equatable, Sendable {
        /// A line on a terminal that is drawn again and again.
        case bar
        /// A line after a moment, and then every few seconds, for a log or a pipe.
        case lines
        /// Nothing at all.
        case none
    }

    enum Unit: Equatable, Sendable {
        case bytes
        /// Things that are counted, as `messages`.
        case counted(String)

        fileprivate func text(_ number: UInt64) -> String {
            switch self {
            case .bytes: ShownSize.text(number)
            case .counted: "\(number)"
            }
        }
    }

    /// Work that is done before that is not worth a word.
    static let patience = Duration.seconds(1)
    static let redrawn = Duration.milliseconds(100)
    static let firstLine = Duration.seconds(2)
    static let betweenLines = Duration.seconds(5)
    private static let longestBar = 30
    private static let clear = "\r\u{1b}[K"

    fileprivate struct Step: Equatable {
        var name: String
        var unit: Unit
        /// `nil`: nobody knows.
        var total: UInt64?
        var done: UInt64 = 0
        var start: Duration
    }

    private let form: Form
    private let start: Duration
    private var step: Step?
    private var shownAt: Duration?

    /// - Parameter now: of a clock that only goes on.
    init(_ form: Form, now: Duration) {
        self.form = form
        self.start = now
    }

    /// The command goes on with something else.
    mutating func begin(_ name: String, _ unit: Unit = .bytes, of total: UInt64? = nil, now: Duration) {
        self.step = Step(name: name, unit: unit, total: total, start: now)
    }

    mutating func advance(by count: UInt64) {
        self.step?.done += count
    }

    /// - Parameter columns: of the terminal.
    /// - Returns: what is to be written now; `nil`: nothing.
    mutating func shown(now: Duration, columns: Int) -> String? {
        guard let step, now - self.start >= Self.patience else { return nil }
        switch self.form {
        case .none: return nil
        case .bar:
            if let shownAt, now - shownAt < Self.redrawn { return nil }
            self.shownAt = now
            return "\r\(Self.bar(step, now: now, columns: columns - 1))\u{1b}[K"
        case .lines:
            let isDue = self.shownAt.map { now - $0 >= Self.betweenLines } ?? (now - self.start >= Self.firstLine)
            guard isDue else { return nil }
            self.shownAt = now
            return "roomline: \(Self.words(step, now: now))\n"
        }
    }

    /// - Returns: what takes the bar away, so that something else can be written.
    mutating func hide() -> String? {
        guard self.form == .bar, self.shownAt != nil else { return nil }
        self.shownAt = nil
        return Self.clear
    }

    /// The same, and nothing is shown any more.
    mutating func end() -> String? {
        self.step = nil
        return self.hide()
    }

    private static func words(_ step: Step, now: Duration) -> String {
        let percent = step.part.map { "\(Int($0 * 100)) %, " } ?? ""
        let amount = step.amount.map { "\($0), " } ?? ""
        return "\(step.name): \(percent)\(amount)\(step.time(now))"
    }

    private static func bar(_ step: Step, now: Duration, columns: Int) -> String {
        guard let part = step.part else { return self.words(step, now: now).shortened(toColumns: max(columns, 0)) }
        let percent = "\(Int(part * 100)) %"
        let blanks = String(repeating: " ", count: max(5 - percent.count, 0))
        let figures = "\(blanks)\(percent)  \(step.amount ?? "")  \(step.time(now))"
        let left = columns - step.name.columns - figures.columns - 5
        guard left >= 5 else { return self.words(step, now: now).shortened(toColumns: max(columns, 0)) }
        let length = min(left, self.longestBar)
        let full = Int(part * Double(length))
        let bar = String(repeating: "=", count: full) + String(repeating: " ", count: length - full)
        return "\(step.name)  [\(bar)] \(figures)"
    }
}

extension Progress.Step {
    /// From 0 to 1.
    fileprivate var part: Double? {
        guard let total = self.total, total > 0 else { return nil }
        return min(Double(self.done) / Double(total), 1)
    }

    /// `12.3 MiB of 28.6 MiB`
    fileprivate var amount: String? {
        let noun = if case .counted(let noun) = self.unit { " \(noun)" } else { "" }
        guard let total = self.total else { return self.done > 0 ? self.unit.text(self.done) + noun : nil }
        return "\(self.unit.text(self.done)) of \(self.unit.text(total))\(noun)"
    }

    fileprivate func time(_ now: Duration) -> String {
        ShownTime.duration(seconds: Double((now - self.start).components.seconds))
    }
}
