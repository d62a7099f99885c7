/// What a seed is drawn for: the same one is another run in each kind.
enum SimulationKind: String, CaseIterable, Sendable {
    /// Hundreds of clients.
    case many
    case few
    /// A few clients, and brokers and machines that die.
    case crashes
    /// Those, and acts of administrators around them.
    case acts
    /// A few clients, and two nodes that follow the same logs.
    case nodes

    func simulation(seed: UInt64) -> Simulation {
        self.simulation(SimulationPlan(seed: seed, kind: self))
    }

    func simulation(_ plan: SimulationPlan) -> Simulation {
        Simulation(plan, clients: self == .many ? 200 : 20)
    }
}
