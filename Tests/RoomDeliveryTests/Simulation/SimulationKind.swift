/// What a seed is drawn for: the same one is another run in each kind.
enum SimulationKind: String, CaseIterable, Sendable {
    /// Hundreds of clients.
    case many
    case few
    /// A few clients, and brokers and machines that die.
    case crashes

    func simulation(seed: UInt64) -> Simulation {
        switch self {
        case .many: Simulation(seed: seed)
        case .few: Simulation(seed: seed, clients: 20)
        case .crashes: Simulation(seed: seed, clients: 20, crashes: true)
        }
    }
}
