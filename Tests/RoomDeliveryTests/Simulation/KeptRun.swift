/// A simulated run that has failed, with the steps that were left when it was shrunk, as what these drew.
///
/// It is text: the kind, what may happen, and then each step with what it drew. Lines that begin with `#` are for people.
struct KeptRun: Equatable, Sendable {
    let kind: SimulationKind
    let plan: SimulationPlan
    let steps: [Step]

    struct Step: Equatable, Sendable {
        let number: Int
        let drawn: [Draws.Drawn]
    }

    /// The number of what follows the last step.
    static let end = -1

    init(_ kind: SimulationKind, _ plan: SimulationPlan, _ steps: [Step]) {
        self.kind = kind
        self.plan = plan
        self.steps = steps
    }

    init?(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        guard lines.count >= 2, let kind = SimulationKind(rawValue: String(lines[0])),
            let plan = SimulationPlan(String(lines[1]))
        else { return nil }
        var steps: [Step] = []
        for line in lines.dropFirst(2) {
            if line.hasPrefix("step ") {
                guard let number = Int(line.dropFirst(5)) else { return nil }
                steps.append(Step(number: number, drawn: []))
            } else {
                guard line.hasPrefix("  "), let equals = line.firstIndex(of: "="), let last = steps.popLast() else {
                    return nil
                }
                let name = line.dropFirst(2)[..<equals]
                let drawn = Draws.Drawn(name: String(name), value: String(line[equals...].dropFirst()))
                steps.append(Step(number: last.number, drawn: last.drawn + [drawn]))
            }
        }
        self.init(kind, plan, steps)
    }

    var text: String {
        let steps = self.steps.flatMap { ["step \($0.number)"] + $0.drawn.map { "  \($0)" } }
        return ([self.kind.rawValue, self.plan.text] + steps).joined(separator: "\n") + "\n"
    }

    /// What is wrong in it; nothing, once it is mended.
    func violations() -> [String] {
        var simulation = self.kind.simulation(self.plan)
        simulation.run(self)
        return simulation.ledger.violations
    }
}
