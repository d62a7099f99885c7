import ServiceLifecycle

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service under the name of its type. By default the name is the description of the value, and to describe all that a
    /// broker holds took a quarter of the CPU of its start.
    init(_ service: any Service, successTerminationBehavior: TerminationBehavior = .cancelGroup) {
        self.init(
            service: service,
            successTerminationBehavior: successTerminationBehavior,
            serviceName: "\(type(of: service))"
        )
    }
}
