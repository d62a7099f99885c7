import RoomTestKit

/// What a step of a simulated run draws, each thing by its name.
///
/// A run that has failed can be written down by these names (`KeptRun`). It then says the same when the simulation draws other things,
/// or in another order: what is not said is drawn as what is written beside each draw (`nothing`).
struct Draws {
    var random: SeededRandom
    /// What was drawn, where that is written down.
    private(set) var drawn: [Drawn] = []
    private let isWritten: Bool
    /// What a run that was written down says, by name, the last one first.
    private var said: [String: [String]]?
    /// What it says and this simulation does not know.
    private(set) var unknown: [Drawn] = []

    struct Drawn: CustomStringConvertible, Equatable, Sendable {
        let name: String
        let value: String

        var description: String { "\(self.name)=\(self.value)" }
    }

    /// - Parameter isWritten: whether what is drawn is written down.
    init(_ random: SeededRandom, isWritten: Bool = false, saying said: [Drawn]? = nil) {
        self.random = random
        self.isWritten = isWritten
        self.said = said.map { Dictionary(grouping: $0.reversed(), by: \.name).mapValues { $0.map(\.value) } }
    }

    /// True about `percent` times in a hundred.
    mutating func chance(_ percent: Int, _ name: String) -> Bool {
        self.draw(name, nothing: false, { $0.chance(percent) }, { $0 ? "yes" : "no" }, { $0 == "yes" })
    }

    /// A number from 0 to `limit - 1`; 0 where there is none.
    mutating func below(_ limit: Int, _ name: String) -> Int {
        self.draw(name, nothing: 0, { $0.below(limit) }, { "\($0)" }, { Int($0).map { min($0, max(limit - 1, 0)) } })
    }

    /// A number without a meaning: that of an id, or what something else is drawn from.
    mutating func number(_ name: String) -> UInt64 {
        self.draw(name, nothing: 1, { $0.next() }, { String($0, radix: 16) }, { UInt64($0, radix: 16) })
    }

    /// What somebody else draws from, who takes as much as is needed.
    mutating func draws<Value>(_ name: String, _ body: (inout SeededRandom) -> Value) -> Value {
        let state = self.draw(name, nothing: 1, { $0.state }, { String($0, radix: 16) }, { UInt64($0, radix: 16) })
        guard self.said != nil else { return body(&self.random) }
        var random = SeededRandom(seed: state)
        return body(&random)
    }

    /// One of the elements, which are told apart by what `text` makes of them; `nil` where there are none, or not this one any more.
    mutating func one<Element>(
        _ name: String,
        of elements: some Collection<Element>,
        by text: (Element) -> String
    ) -> Element? {
        guard !elements.isEmpty else { return nil }
        return self.draw(
            name,
            nothing: elements.first,
            { elements.randomElement(using: &$0) },
            { $0.map(text) ?? "" },
            { said in .some(elements.first { text($0) == said }) }
        )
    }

    /// One of the strings.
    mutating func one(_ name: String, of strings: some Collection<String>) -> String? {
        self.one(name, of: strings) { $0 }
    }

    /// Which of several things happens: `meaning` says it of a number below `limit`.
    mutating func `case`<Case: RawRepresentable<String>>(
        _ name: String,
        below limit: Int,
        _ meaning: (Int) -> Case
    ) -> Case {
        self.draw(name, nothing: meaning(limit - 1), { meaning($0.below(limit)) }, \.rawValue, Case.init(rawValue:))
    }

    private mutating func draw<Value>(
        _ name: String,
        nothing: @autoclosure () -> Value,
        _ draw: (inout SeededRandom) -> Value,
        _ text: (Value) -> String,
        _ value: (String) -> Value?
    ) -> Value {
        guard self.said != nil else {
            let drawn = draw(&self.random)
            if self.isWritten { self.drawn.append(Drawn(name: name, value: text(drawn))) }
            return drawn
        }
        guard let said = self.said?[name]?.popLast() else { return nothing() }
        if let value = value(said) { return value }
        self.unknown.append(Drawn(name: name, value: said))
        return nothing()
    }
}
